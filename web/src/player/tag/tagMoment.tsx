/** The moment of a tag: its dot in the outbreak, its line in the tree, and words of its own for some tags. */
import { useCallback } from "preact/hooks";
import { paths } from "../../paths.ts";
import { api, type HuntResult } from "../../state/api.ts";
import { useValue } from "../../state/resource.ts";
import { snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Crowd } from "../../ui/crowd.tsx";

/** Whether nobody else on the board has a tag. */
const readIsFirst = async (): Promise<boolean> => {
  const query = { board: "kills", limit: 2 } as const;
  const { players } = await api.get("/interactions/leaderboard/{url_id}", { query });
  return players.filter(({ kills }) => kills > 0).length === 1;
};

interface TagMomentProps {
  result: HuntResult;
  /** Whether no other human was left. */
  isLast: boolean;
}

export const TagMoment = ({ result, isLast }: TagMomentProps) => {
  const { player, game } = snapshot.value ?? {};
  const { kills } = result.hunter;
  const isFirst = useValue(useCallback(async () => kills === 1 && (await readIsFirst()), [kills]));
  const words = isLast
    ? en.tag.lastHuman
    : isFirst === true
      ? en.tag.firstOfAll
      : (en.tag.milestones[kills] ?? null);
  const line = [player?.infected_by, player?.alias, result.prey.alias ?? en.feed.gone].filter(
    (one) => one != null,
  );
  return (
    <>
      {words === null ? null : <p class="tag-words">{words}</p>}
      <div class="tag-dot">
        <Crowd counts={game?.counts} own="zombie" />
      </div>
      <ol class="tag-line" aria-label={en.tag.line}>
        {line.map((alias, at) => (
          <li key={alias} data-new={at === line.length - 1}>
            {alias}
          </li>
        ))}
      </ol>
      <ButtonLink text={en.tag.seeLine} kind="quiet" href={paths.outbreak} />
    </>
  );
};
