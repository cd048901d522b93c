/** The operations that race where mail is sent: those of players, of game masters and of the worker. */
import { MINUTE } from "../../../lib/domain/time.ts";
import { unsubscribing } from "../../support/confirmation.ts";
import type { Name } from "./fixture.ts";
import { addressOf, deliver, type MailName, type Mails } from "./mailFixture.ts";
import {
  byMaster,
  byPlayer,
  crossed,
  FROM,
  type Operation,
  operation,
  PASSWORDS,
  type Pair,
  withKey,
} from "./operations.ts";

const invite = (...aliases: Name[]): Operation =>
  byMaster("send_invitations", aliases, () =>
    aliases.length > 0 ? { aliases } : { everyone_not_accepted: true },
  );

const confirm = (who: keyof Mails["tokens"]): Operation =>
  operation("confirm_email", [who], "POST /confirm_email", ({ fixture: { mails } }) => {
    return { body: { token: mails.tokens[who] } };
  });

const unsubscribe = (who: Name): Operation =>
  operation("unsubscribe_email", [who], "POST /unsubscribe_email", ({ fixture }) => {
    return {
      query: { token: unsubscribing(fixture.who[who].id) },
      body: { "List-Unsubscribe": "One-Click" },
    };
  });

const forget = (named: string): Operation =>
  operation("forgot_password", [named], "POST /forgot_password", () => {
    return { from: FROM, body: { alias_or_email: named } };
  });

/** Sets a password by a link: Ida has forgotten hers, and Ned accepts the invitation. */
const setByLink = (alias: keyof Mails["codes"]): Operation =>
  operation(alias === "Ned" ? "accept" : "set_by_link", [alias], "POST /change_password", ({ fixture }) => {
    const recovery_code = fixture.mails.codes[alias];
    return { from: FROM, body: { alias, recovery_code, new_password: PASSWORDS.newer } };
  });

/** A player enters another address. */
const changeEmail = (who: Name): Operation =>
  byPlayer("change_email", who, [], "POST /edit_player/{url_id}", () => {
    return { email: addressOf(`new.${who}`), current_password: PASSWORDS.old };
  });
/** A player wants announcements by mail. */
const subscribe = (who: Name): Operation =>
  byPlayer("mail_kinds", who, [], "POST /edit_player/{url_id}", () => ({ mail_kinds: ["announcement"] }));
/** A game master corrects an address. */
const correct = (alias: Name): Operation =>
  byMaster("correct_email", [alias], () => ({ alias, email: addressOf(`right.${alias}`) }), "edit_player");
const banAddress = (whose: Name): Operation =>
  byMaster("ban_address", [whose], () => ({ email: addressOf(whose) }), "ban");

const sendAgain = byMaster("send_mail", ["refused"], ({ mails }) => ({ mail_id: mails.ids.refused }));
const lift = byMaster("lift_suppression", ["Ada"], () => ({ alias: "Ada" }));

/** How often the queue delivers a mail in a race. By then, a worker that has failed holds it no more. */
const DELIVERIES = 4;
const VISIBLE_AFTER_MS = 2 * MINUTE;

/** The worker sends a mail. A failure is delivered again. */
const sending = (mail: MailName): Operation => ({
  kind: `deliver_${mail}`,
  name: `deliver ${mail}`,
  async run({ services, fixture }) {
    for (let nth = 0; ; nth += 1) {
      const clock = () => services.clock() + nth * VISIBLE_AFTER_MS;
      try {
        await deliver({ ...services, clock }, fixture.mails.ids[mail]);
        return { status: 200, body: {} };
      } catch (error) {
        if (nth === DELIVERIES) throw error;
      }
    }
  },
});

const twice = (...operations: Operation[]): Pair[] => operations.map((one): Pair => [one, one]);

/** @param ends what ends an account or changes who may use it, of a player; and of one who has no password yet */
export const mailPairs = (
  ends: (who: Name) => Operation[],
  endsInvited: (who: Name) => Operation[],
): Pair[] => {
  const [ofIda, ofHal, ofAda] = (["Ida", "Hal", "Ada"] as const).map((who) => [
    ...ends(who),
    changeEmail(who),
  ]);
  const [ofNed, ofNia] = (["Ned", "Nia"] as const).map((who) => [...endsInvited(who), correct(who)]);
  const recover = byMaster("recover_password", ["Ida"], () => ({ alias: "Ida" }));
  return [
    ...crossed([unsubscribe("Ida"), forget("Ida"), setByLink("Ida")], ofIda ?? []),
    ...crossed([sending("recovery"), sending("announcement"), sending("toAll")], ofIda ?? []),
    ...crossed([confirm("Hal"), sending("confirmation")], [...(ofHal ?? []), banAddress("Hal")]),
    ...crossed([sendAgain, lift, sending("test")], ofAda ?? []),
    ...crossed([invite("Ned"), setByLink("Ned")], ofNed ?? []),
    ...crossed([invite("Nia"), sending("invitation")], ofNia ?? []),
    ...crossed([invite("Ned"), invite()], [invite("Ned"), invite(), setByLink("Ned")]),
    ...crossed([invite()], [withKey(invite()), sending("invitation")]),
    ...crossed([confirm("Hal")], [confirm("Yan"), sending("confirmation"), sending("others")]),
    ...crossed([unsubscribe("Ida")], [subscribe("Ida"), sending("announcement"), sending("toAll")]),
    ...crossed([sending("recovery")], [forget("Ida"), setByLink("Ida"), recover]),
    ...crossed([setByLink("Ida")], [forget("Ida"), recover]),
    ...crossed([lift], [sendAgain, sending("test")]),
    ...twice(
      confirm("Hal"),
      unsubscribe("Ida"),
      forget("Ida"),
      setByLink("Ida"),
      setByLink("Ned"),
      changeEmail("Ida"),
    ),
    ...twice(sendAgain, lift, ...[sendAgain, lift, invite("Ned")].map(withKey)),
    ...twice(...(["recovery", "announcement", "toAll", "invitation", "confirmation"] as const).map(sending)),
  ];
};
