/** A player's page: subscribes, and tells what the browser shows. The stories call what is named in `player`. */

// What the service worker said it has shown, in order, and who waits for more of it.
const said = [];
let more = Promise.withResolvers();

navigator.serviceWorker.addEventListener("message", ({ data }) => {
  said.push(data);
  more.resolve();
  more = Promise.withResolvers();
});

const ready = async () => {
  await navigator.serviceWorker.register("/worker.js");
  return navigator.serviceWorker.ready;
};

window.player = {
  /** Subscribes for messages of the holder of this key: the subscription as a browser hands it on. */
  async subscribe(applicationServerKey) {
    const { pushManager } = await ready();
    const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    return subscription.toJSON();
  },

  async unsubscribe() {
    const { pushManager } = await ready();
    const subscription = await pushManager.getSubscription();
    return subscription.unsubscribe();
  },

  /** What the service worker has said, once it has said so many things. */
  async said(many) {
    while (said.length < many) await more.promise;
    return said;
  },

  /** The notifications that the browser is showing. */
  async shown() {
    const registration = await ready();
    const notifications = await registration.getNotifications();
    return notifications.map(({ title, body, tag }) => ({ title, body, tag }));
  },
};
