/** The list of bans, with a command to lift each. */
import { gm } from "../../../text/staff.ts";
import { zonedText } from "../../../text/zoned.ts";
import { ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import { command, type Result, read } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { type Confirmation, ConfirmButton } from "../../ui/confirmation.tsx";

type Ban = Result<"/admin/ban/{url_id}">;

const readBans = () => read("/admin/bans/{url_id}");

/** The dialog that lifts a ban. */
const liftConfirmation = ({ ban_id, alias }: Ban): Confirmation => ({
  path: "/admin/unban/{url_id}",
  title: gm.bans.liftTitle(alias),
  effects: [gm.bans.liftEffect],
  submit: gm.bans.lift,
  run: async (reason, key) => {
    await command("/admin/unban/{url_id}", { ban_id, ...reason }, key);
    return { text: gm.bans.lifted };
  },
});

export const Bans = ({ zone }: { zone: string }) => {
  const { value, error, reload } = usePolled(readBans);
  return (
    <section class="card stack" id="bans">
      <h2>{gm.bans.title}</h2>
      <ErrorNote error={error} onRetry={reload} />
      {value === null && error === null ? <Skeleton rows={1} /> : null}
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
            <ConfirmButton path="/admin/unban/{url_id}" confirmation={liftConfirmation(ban)}>
              {gm.bans.lift}
            </ConfirmButton>
          </li>
        ))}
      </ul>
    </section>
  );
};
