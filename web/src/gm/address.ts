/** The address at which players open the service, for what is printed or shown on a big screen. */
import { signal } from "@preact/signals";

const STORAGE_KEY = "players_address";

/** Whether only this machine can open an address. */
const isOfThisMachine = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname.endsWith(".localhost") ||
  hostname.startsWith("127.") ||
  hostname === "[::1]";

/** Returns the origin of a typed address, such as `https://hvz.example`; `null` if other machines cannot open it. */
export const parseAddress = (text: string): string | null => {
  const typed = text.trim();
  // In a local network, services have a number and no certificate.
  const scheme = /^[\d.]+(:|$)/.test(typed) ? "http" : "https";
  const url = URL.parse(/^https?:\/\//i.test(typed) ? typed : `${scheme}://${typed}`);
  return typed === "" || url === null || isOfThisMachine(url.hostname) ? null : url.origin;
};

/** Whether the address has to be asked for: the browser knows the service only under a name of this machine. */
export const isAddressUnknown = isOfThisMachine(location.hostname);

/** What was typed as the address, on this device. */
export const typedAddress = signal(localStorage.getItem(STORAGE_KEY) ?? "");

export const setAddress = (text: string): void => {
  typedAddress.value = text;
  localStorage.setItem(STORAGE_KEY, text);
};

/** The origin that players open; `null` while it is not known. */
export const playersOrigin = (): string | null =>
  isAddressUnknown ? parseAddress(typedAddress.value) : location.origin;
