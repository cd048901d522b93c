/** Measures invitations by mail to players who were imported and have confirmed no address: the preview, and the whole job. */
import { keys } from "../../lib/store/keys.ts";
import { fill } from "../../tests/support/table.ts";
import type { Fixture } from "../support/players.ts";

const EVERYONE = { everyone_not_accepted: true };

/** Makes players as an import leaves them, of a service that sends mail. */
const leaveInvited = async ({ game, players }: Fixture): Promise<void> => {
  game.services.mail = {
    url: { given: ["outbox:"] },
    from: "game@example.org",
    publicUrl: "https://game.example.org",
    perMinute: 60,
  };
  await fill(
    game.place,
    players.map(({ player_id: id }) => ({ ...keys.credential(id), rev: 1, hash: "none", invited: true })),
  );
};

const send = ({ game, gm }: Fixture, more = {}) =>
  game.call("POST /admin/send_invitations/{url_id}", { as: gm, body: { ...EVERYONE, ...more } });

/** Both read of everybody the player, the credential, the account's mails and two guards of the address; the job does so again. */
export const INVITATIONS = [
  {
    name: "invitations, preview",
    bound: (changed: number) => ({ read: 20 + changed * 4.6, write: 4 }),
    prepare: leaveInvited,
    run: async (fixture: Fixture): Promise<number> => (await send(fixture, { dry_run: true })).count,
  },
  {
    name: "invitations",
    // Of each: what is stored of the account's mails, the mail, and the player's check. Of 30: the job's progress.
    bound: (changed: number) => ({ read: 20 + changed * 9.7, write: 30 + changed * 7 }),
    run: async (fixture: Fixture): Promise<number> => {
      const { count, complete } = await send(fixture);
      if (complete !== true) throw new Error("the invitations did not complete");
      return count;
    },
  },
];
