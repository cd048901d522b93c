/** The rules, safe places and contact, for everybody, also offline after the first visit. */
import type { ComponentChildren } from "preact";
import { paths } from "../../paths.ts";
import { readPublicOnce } from "../../state/api.ts";
import { usePages } from "../../state/resource.ts";
import { isOffline, sessionState } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty, ErrorNote, Skeleton, StaleNote } from "../../ui/feedback.tsx";
import { Markdown } from "../../ui/markdown.tsx";

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="card stack">
    <h2>{title}</h2>
    {children}
  </section>
);

export const Rules = () => {
  const { items, error, isLoading, reload, isStale, readAt } = usePages(readPublicOnce, "game");
  const [game] = items;
  const { rules, safe_places, stun, contact, has_waiver: hasWaiver } = game ?? {};
  return (
    <main class="page stack">
      <h1>{en.rules.title}</h1>
      {game === undefined && isLoading ? <Skeleton /> : null}
      {game === undefined ? <ErrorNote error={error} onRetry={reload} /> : null}
      {game !== undefined && (isStale || isOffline.value) ? <StaleNote readAt={readAt} /> : null}
      {/* What one looks for while somebody runs comes first. */}
      {safe_places ? (
        <Part title={en.rules.safe}>
          <Markdown text={safe_places} />
        </Part>
      ) : null}
      {stun ? (
        <Part title={en.rules.stun}>
          <p>{stun}</p>
        </Part>
      ) : null}
      {contact ? (
        <Part title={en.rules.contact}>
          <p>{contact}</p>
        </Part>
      ) : null}
      {rules ? (
        <section class="card stack">
          <Markdown text={rules} />
        </section>
      ) : game === undefined ? null : (
        <Empty>{en.rules.none}</Empty>
      )}
      {hasWaiver && sessionState.value === "active" ? (
        <ButtonLink text={en.rules.waiver} href={paths.waiver} />
      ) : null}
      {sessionState.value === "active" ? null : <ButtonLink text={en.rules.back} href={paths.landing} />}
    </main>
  );
};
