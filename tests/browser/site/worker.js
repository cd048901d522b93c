/**
 * A typical service worker: shows each push message and reports it to the page. Firefox gives it all messages, also
 * declarative ones.
 */

const show = async ({ title, body, tag }) => {
  await self.registration.showNotification(title, { body, tag });
  for (const page of await self.clients.matchAll({ includeUncontrolled: true })) {
    page.postMessage({ title, body, tag });
  }
};

self.addEventListener("push", (event) => event.waitUntil(show(event.data.json().notification)));
