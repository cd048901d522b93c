/** The address at which players open the service, for links that leave this machine: printed, on a big screen, in invitations. */
import { signal } from "@preact/signals";
import { readText, writeText } from "../../state/stored.ts";
import { gm } from "../../text/staff.ts";
import { Field } from "../../ui/field.tsx";

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
  const address = /^https?:\/\//i.test(typed) ? typed : `${scheme}://${typed}`;
  if (typed === "" || !URL.canParse(address)) return null;
  const { hostname, origin } = new URL(address);
  return isOfThisMachine(hostname) ? null : origin;
};

/** Whether the address has to be asked for: the browser knows the service only under a name of this machine. */
export const isAddressUnknown = isOfThisMachine(location.hostname);

/** What was typed as the address, on this device. */
const typedAddress = signal(readText(STORAGE_KEY) ?? "");

const setAddress = (text: string): void => {
  typedAddress.value = text;
  writeText(STORAGE_KEY, text);
};

/** The origin that players open; `null` while it is not known. */
export const playersOrigin = (): string | null =>
  isAddressUnknown ? parseAddress(typedAddress.value) : location.origin;

/** Asks for the address, which the browser cannot know on the machine that runs the service. */
export const Address = () =>
  isAddressUnknown ? (
    <div class="no-print">
      <Field
        label={gm.print.address}
        name="address"
        hint={gm.print.addressHint}
        error={typedAddress.value === "" || playersOrigin() !== null ? undefined : gm.print.addressError}
        value={typedAddress.value}
        onChange={setAddress}
      />
    </div>
  ) : null;
