/** The list of bans, with a command to lift each. */
import { gm } from "../../../text/staff.ts";
import { zonedText } from "../../../text/zoned.ts";
import { command, type Result, read, type Settings } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { Loading } from "../../ui/loading.tsx";

type Ban = Result<"ban">;

const readBans = () => read("bans");

const liftConfirmation = ({ ban_id, alias }: Ban): Confirmation => ({
  action: "unban",
  title: gm.bans.liftTitle(alias),
  effects: [gm.bans.liftEffect],
  run: async (reason, key) => {
    await command("unban", { ban_id, ...reason }, key);
    return { text: gm.bans.lifted };
  },
});

export const Bans = ({ settings: { time_zone: zone } }: { settings: Settings }) => {
  const polled = usePolled(readBans);
  const { value } = polled;
  return (
    <section class="card stack" id="bans">
      <h2>{gm.bans.title}</h2>
      <Loading of={polled} rows={1} />
      {value?.bans.length === 0 ? <p class="muted">{gm.bans.empty}</p> : null}
      <ul class="list">
        {value?.bans.map((ban) => (
          <li key={ban.ban_id} class="row">
            <p class="grow">
              <strong>{ban.alias ?? gm.bans.address}</strong>
              <span class="sub">
                {ban.until === null ? gm.bans.forGood : gm.bans.until(zonedText(ban.until, zone))}
                {ban.former_aliases.length === 0 ? "" : ` · ${gm.bans.formerly(ban.former_aliases)}`}
                {ban.reason === null ? "" : ` · “${ban.reason}”`}
              </span>
            </p>
            <CommandButton action="unban" confirmation={liftConfirmation(ban)} />
          </li>
        ))}
      </ul>
    </section>
  );
};
