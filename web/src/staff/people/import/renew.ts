/** The command that invites players again who have not accepted their invitation. */
import { gm } from "../../../text/staff.ts";
import type { StaffPlayer } from "../../calls.ts";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { saveInvitations } from "./invitations.ts";
import { type Results, sendRows } from "./send.ts";

export const renewConfirmation = (players: readonly StaffPlayer[]): Confirmation => ({
  action: "import_players",
  title: gm.players.renew.title(players.length),
  effects: gm.players.renew.effects,
  submit: gm.players.renew.title(players.length),
  run: async () => {
    const rows = players.map(({ alias }, at) => ({ row: at + 1, alias }));
    let results: Results = new Map();
    try {
      await sendRows(rows, { renew_invitations: true, create: false }, (found) => {
        results = found;
      });
    } finally {
      saveInvitations(results.values(), ({ row }) => players[row - 1]);
    }
    const renewed = [...results.values()].filter(({ status }) => status === "invited");
    return { text: gm.players.renew.done(renewed.length) };
  },
});
