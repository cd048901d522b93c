/** Which entries of the audit log the page "Now" lists as the latest commands. */
import { expect, it } from "vitest";
import { actionNames } from "../../lib/domain/actions.ts";
import { isCommand } from "../../web/src/staff/commands.ts";

it("are commands of game masters and moderators, and nothing that players and the service do by themselves", () => {
  const others = actionNames().filter((action) => !isCommand({ action, actor: "Gus", target: "Ada" }));
  const names =
    "alerts archive bans change_password codes delete_player deliver disputes enrol find get_logs get_players login mail " +
    "of_age player_count readiness season signatures status sweep webhook_off";
  expect(others.join(" ")).toBe(names);
  expect(isCommand({ action: "edit_player", actor: "Ada", target: "Ada" })).toBe(false);
});
