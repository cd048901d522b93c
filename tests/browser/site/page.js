/** A player's page: subscribes, and reports what the browser shows. Tests call the functions of `player`. */

// The notifications that the service worker has reported, in order.
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
  /** Subscribes with this application server key. Returns the subscription as JSON. */
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

  /** The reports of the service worker, once there are this many. */
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
