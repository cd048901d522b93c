/** The page for codes: zombies report tags and redeem slips; humans show their own code, report that they were tagged, and redeem slips. */
import { useCallback, useState } from "preact/hooks";
import type { HuntResult, RedeemResult } from "../../state/api.ts";
import { useValue } from "../../state/resource.ts";
import { now, snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Skeleton } from "../../ui/feedback.tsx";
import { loadedOnDemand } from "../../ui/layout/loadedOnDemand.tsx";
import { TagCode } from "../../ui/tagCode.tsx";
import { CodeForm } from "./codeForm.tsx";
import { CodeQueue } from "./codeQueue.tsx";
import { ReportTagged } from "./reportTagged.tsx";
import { readStarvation } from "./starvation.ts";
import { hoursBetween, type TagOutcome, TagResult } from "./tagResult.tsx";
import "./tag.css";

const Redeemed = loadedOnDemand(() => import("./redeemed.tsx").then(({ Redeemed }) => Redeemed));

/** What a code has brought. */
type Outcome = TagOutcome | (RedeemResult & { hoursGained: number | null });

export const Tag = () => {
  const current = snapshot.value;
  const at = now.value;
  const state = current?.player.state;
  const starvedAt = useValue(useCallback(() => readStarvation(), [state]));
  const [isLate, setLate] = useState(false);
  const [result, setResult] = useState<Outcome | null>(null);
  if (current === null || at === null) return <Skeleton />;
  const { player, game } = current;
  const close = (): void => setResult(null);
  if (result !== null)
    return "did" in result ? (
      <Redeemed result={result} onAgain={close} at={at} />
    ) : (
      <TagResult result={result} onAgain={close} at={at} />
    );
  // Of a corpse, only tags from before they starved count.
  const earliest = state === "corpse" && starvedAt !== null ? Math.floor((at - starvedAt) / 60_000) + 1 : 0;
  const mayBeLate = earliest > 0 && earliest * 60 <= game.report_window_seconds;
  const onDone = (done: HuntResult | RedeemResult): void => {
    const { starves_at } = "did" in done ? done.player : done.hunter;
    const hoursGained = hoursBetween(player.starves_at, starves_at);
    const livesAgain = state === "corpse" && starves_at !== null;
    setResult(
      "did" in done
        ? { ...done, hoursGained }
        : { ...done, hoursGained, livesAgain, isLast: game.counts.humans === 1 },
    );
  };
  if (player.state === "human" && player.tag_code !== null)
    return (
      <main class="page stack">
        <h1>{en.tag.humanTitle}</h1>
        <TagCode code={player.tag_code} />
        <ol class="steps">
          {en.tag.human.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <section class="stack">
          <h2>{en.redeem.title}</h2>
          <CodeForm {...{ current, at, onDone }} kinds={["reward"]} earliest={0} isMain={false} />
        </section>
        {game.in_play ? <ReportTagged window={game.report_window_seconds} at={at} /> : null}
      </main>
    );
  if (player.state !== "zombie" && !(mayBeLate && isLate))
    return (
      <main class="page stack">
        <h1>{en.tag.title}</h1>
        <CodeQueue at={at} sending={null} />
        <Empty>{en.tag.notZombie}</Empty>
        {mayBeLate ? <Button text={en.tag.late} onClick={() => setLate(true)} /> : null}
      </main>
    );
  return (
    <main class="page stack">
      <h1>{state === "zombie" ? en.redeem.pageTitle : en.tag.title}</h1>
      {starvedAt === null || !mayBeLate ? null : <p class="muted">{en.tag.lateText}</p>}
      <CodeForm
        {...{ current, at, onDone, earliest }}
        kinds={state === "zombie" ? ["tag", "reward"] : ["tag"]}
        isMain
      />
    </main>
  );
};
