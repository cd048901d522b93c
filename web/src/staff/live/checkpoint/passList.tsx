/** Who has passed the checkpoint, and who is missing. */
import { useCallback, useState } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { isConcerned } from "../../../state/checkpoints.ts";
import { type PageOf, usePages } from "../../../state/resource.ts";
import { compareNames } from "../../../state/search.ts";
import { gm } from "../../../text/staff.ts";
import { PagesList } from "../../../ui/layout/pagesList.tsx";
import { Avatar, StateBadge } from "../../../ui/player.tsx";
import { type Checkpoint, read, type StaffPlayer } from "../../calls.ts";
import { changeCount } from "../../changes.ts";
import { Select } from "../../ui/inputs.tsx";

/**
 * Reads the players to whom the checkpoint applies, by whether they have passed. The service filters by the real state, but
 * a hidden original zombie counts as a human, so the page filters itself.
 */
const readPasses = async (
  passed: "true" | "false",
  applies_to: Checkpoint["applies_to"],
  cursor?: string,
): Promise<PageOf<StaffPlayer>> => {
  const query = { passed, limit: 500, ...(cursor === undefined ? {} : { cursor }) };
  const { players, next_cursor } = await read("get_players", query);
  return { items: players.filter((player) => isConcerned({ applies_to }, player)), next: next_cursor };
};

type Passed = "true" | "false";

const Passes = ({ passed, applies_to }: { passed: Passed } & Pick<Checkpoint, "applies_to">) => {
  const changesSeen = changeCount.value;
  const load = useCallback(
    (cursor?: string) => readPasses(passed, applies_to, cursor),
    [passed, applies_to, changesSeen],
  );
  const pages = usePages(load);
  const items = pages.items.toSorted((one, other) => compareNames(one.alias, other.alias));
  return (
    <PagesList
      pages={{ ...pages, items }}
      empty={passed === "true" ? gm.checkpoint.nonePassed : gm.checkpoint.noneMissing}
    >
      {(player) => (
        <li key={player.player_id}>
          <a class="row" href={paths.gm.player(player.player_ref)}>
            <Avatar player={player} />
            <span class="grow">{player.alias}</span>
            <StateBadge state={player.state} />
          </a>
        </li>
      )}
    </PagesList>
  );
};

export const PassList = ({ checkpoint: { applies_to } }: { checkpoint: Checkpoint }) => {
  const [passed, setPassed] = useState<Passed>("false");
  return (
    <section class="card stack">
      <Select
        label={gm.checkpoint.list}
        name="passed"
        value={passed}
        options={gm.checkpoint.lists}
        onChange={setPassed}
      />
      {/* Nobody who is missing is shown among those who have passed. */}
      <Passes key={passed} passed={passed} applies_to={applies_to} />
    </section>
  );
};
