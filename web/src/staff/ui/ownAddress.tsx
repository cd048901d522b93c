/** The way to a test, which goes to the game master's own address. */
import type { ComponentChildren } from "preact";
import { paths } from "../../paths.ts";
import { snapshot } from "../../state/session.ts";
import { gm } from "../../text/staff.ts";
import { ButtonLink } from "../../ui/button.tsx";

/** The button of a test; without an address of one's own, a link to the profile in its place. */
export const ToOwnAddress = ({ children }: { children: ComponentChildren }) =>
  snapshot.value?.player.email == null ? (
    <ButtonLink text={gm.mail.noAddress} href={paths.profile} />
  ) : (
    children
  );
