/** The zombies to share a meal with. */
import { useCallback } from "preact/hooks";
import { api } from "../../state/api.ts";
import { usePages } from "../../state/resource.ts";
import { snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { agoText } from "../../text/times.ts";
import { ErrorNote, Skeleton } from "../../ui/feedback.tsx";
import { Avatar } from "../../ui/player.tsx";

/** The number of zombies that are offered to share the meal, hungriest first. */
const MAX_OFFERED = 8;

interface SharersProps {
  max: number;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  at: number;
}

export const Sharers = ({ max, chosen, onChange, at }: SharersProps) => {
  const self = snapshot.value?.player.alias;
  const read = useCallback(async () => {
    const query = { limit: MAX_OFFERED + 1 };
    const { zombies } = await api.get("/zombie/starvation/{url_id}", { query });
    return { items: zombies.filter(({ alias }) => alias !== self).slice(0, MAX_OFFERED), next: null };
  }, [self]);
  const { items, isLoading, error, reload } = usePages(read);
  if (max === 0) return null;
  const toggle = (alias: string): void =>
    onChange(chosen.includes(alias) ? chosen.filter((one) => one !== alias) : [...chosen, alias]);
  return (
    <fieldset class="stack">
      <legend class="label">{en.tag.share(max)}</legend>
      <ErrorNote error={error} onRetry={reload} />
      {isLoading ? <Skeleton rows={2} /> : null}
      {!isLoading && items.length === 0 && error === null ? <p class="muted">{en.tag.noSharers}</p> : null}
      <ul class="list">
        {items.map(({ alias, seconds_left, starves_at, picture_url }) => {
          const isChosen = chosen.includes(alias);
          return (
            <li key={alias}>
              <label class="row">
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={!isChosen && chosen.length >= max}
                  onChange={() => toggle(alias)}
                />
                <Avatar player={{ alias, state: "zombie", picture_url }} />
                <span class="grow">{alias}</span>
                <span class="muted number" data-urgent={seconds_left < 6 * 3_600}>
                  {starves_at === null ? "" : en.tag.left(agoText(at - seconds_left * 1_000, at))}
                </span>
              </label>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
};
