/**
 * A service worker as anyone would write it: shows what is pushed, and tells the page what it has shown. Firefox
 * only counts the messages that are declarative, and gives all of them to the service worker.
 */

const show = async ({ title, body, tag }) => {
  await self.registration.showNotification(title, { body, tag });
  for (const page of await self.clients.matchAll({ includeUncontrolled: true })) {
    page.postMessage({ title, body, tag });
  }
};

self.addEventListener("push", (event) => event.waitUntil(show(event.data.json().notification)));
