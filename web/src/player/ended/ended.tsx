/** The player's own page when the game is over: what became of them, the awards, and a picture to share. */
import { CloudUpload, Crosshair, History as HistoryIcon, Share } from "lucide";
import { useCallback, useEffect, useState } from "preact/hooks";
import { paths } from "../../paths.ts";
import { GameError } from "../../state/api.ts";
import { useReading } from "../../state/resource.ts";
import { now, queue, snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { situationText, situationTitle } from "../../text/situation.ts";
import { Awards, namesOfAwards, readAwards } from "../../ui/awards.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Crowd } from "../../ui/crowd.tsx";
import { ErrorNote, OfflineNote, Skeleton } from "../../ui/feedback.tsx";
import { Badges } from "../../ui/prizes.tsx";
import { saveBlob } from "../../ui/saveFile.ts";
import { History, useOwnHistory } from "../history/history.tsx";
import { type Recap, readFound, recapOf } from "./recap.ts";
import { drawRecap, HEIGHT, WIDTH } from "./recapCard.ts";
import "../me/hero.css";
import "./ended.css";

/** Hands the picture to another app, or saves it where there is no way to. */
const share = async (picture: File): Promise<void> => {
  const files = { files: [picture] };
  if (!navigator.canShare?.(files)) {
    saveBlob(picture.name, picture);
    return;
  }
  // The player may close the list of apps.
  await navigator.share(files).catch(() => {});
};

const altOf = ({ own, text, stats }: Recap): string =>
  [own, text, stats.map((stat) => stat.join(" ")).join(", ")].join(" ");

/** The picture. It is drawn before it is asked for, because a browser shares only just after a touch. */
const Card = ({ recap }: { recap: Recap }) => {
  const [shown, setShown] = useState<{ picture: File; url: string } | null>(null);
  const text = JSON.stringify(recap);
  useEffect(() => {
    let url: string | null = null;
    let isGone = false;
    void drawRecap(recap).then((picture) => {
      if (picture === null || isGone) return;
      url = URL.createObjectURL(picture);
      setShown({ picture, url });
    });
    return () => {
      isGone = true;
      if (url !== null) URL.revokeObjectURL(url);
    };
  }, [text]);
  return (
    <section class="stack ended-card">
      <h2>{en.ended.card}</h2>
      <div class="ended-picture" style={{ aspectRatio: `${WIDTH} / ${HEIGHT}` }}>
        {shown === null ? null : <img src={shown.url} alt={altOf(recap)} width={WIDTH} height={HEIGHT} />}
      </div>
      <Button
        text={en.ended.share}
        icon={Share}
        kind="primary"
        disabled={shown === null}
        onClick={() => shown !== null && void share(shown.picture)}
      />
    </section>
  );
};

const Hero = ({ recap, won }: { recap: Recap; won: readonly string[] }) => (
  <header class="hero ended-hero" data-state={recap.state}>
    <h1>{recap.title}</h1>
    <p>{recap.text}</p>
    {won.length === 0 ? null : <p class="ended-won">{en.ended.won(won)}</p>}
    <Crowd counts={recap.counts} own={recap.state} />
  </header>
);

/** Reads the awards, if it is time for them. */
const tryAwards = () =>
  readAwards().then(
    (awards) => ({ awards, error: null }),
    (error: unknown) => {
      const isEarly = error instanceof GameError && error.code === "too_early";
      return { awards: null, error: isEarly ? null : error };
    },
  );

export const Ended = () => {
  const current = snapshot.value;
  const at = now.value;
  const read = useCallback(async () => {
    const begun = snapshot.peek();
    if (begun === null) return null;
    // Together, because the awards would push down what is below them.
    const [found, awards] = await Promise.all([readFound(begun), tryAwards()]);
    return { found, ...awards };
  }, [current?.player.player_id]);
  const { value: loaded, reload } = useReading(read);
  const pages = useOwnHistory();
  if (current === null || at === null || loaded === null) return <Skeleton />;
  const { found, awards, error } = loaded;
  const recap = recapOf(current, found);
  const { player, game } = current;
  return (
    <main class="page stack me">
      {recap === null ? (
        <h1>{player.alias}</h1>
      ) : (
        <Hero recap={recap} won={awards === null ? [] : namesOfAwards(awards, player.alias)} />
      )}
      <OfflineNote />
      {queue.value.length === 0 ? null : (
        <ButtonLink text={en.me.queued(queue.value.length)} icon={CloudUpload} href={paths.tag} />
      )}
      {player.badges?.length > 0 ? (
        <section class="stack">
          <h2>{en.prizes.badges}</h2>
          <Badges badges={player.badges} />
        </section>
      ) : null}
      <section class="stack">
        <h2>{situationTitle(game)}</h2>
        {game.result_note == null ? null : <p>{game.result_note}</p>}
        <p class="muted">{situationText(game, at)}</p>
        {game.situation === "last_tags" ? (
          <ButtonLink text={en.ended.lastTags} icon={Crosshair} href={paths.tag} />
        ) : null}
        <ErrorNote error={error ?? found.error} onRetry={reload} />
        {awards === null ? null : <Awards awards={awards} now={at} />}
        {game.season_id == null ? null : (
          <ButtonLink text={en.ended.recap} icon={HistoryIcon} href={paths.season(game.season_id)} />
        )}
      </section>
      {recap === null ? null : <Card recap={recap} />}
      <History player={player} pages={pages} at={at} />
    </main>
  );
};
