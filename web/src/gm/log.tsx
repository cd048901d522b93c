/** The log: every call of those who run the game, and who made it. */
import { useCallback, useMemo, useState } from "preact/hooks";
import { type PageOf, usePages } from "../resource.ts";
import { folded, matchingFolded } from "../search.ts";
import { now } from "../session.ts";
import { timeText } from "../times.ts";
import { Field } from "../ui/field.tsx";
import { PagesList } from "../ui/pagesList.tsx";
import { type LogEntry, read } from "./calls.ts";
import { useDrawn } from "./drawn.ts";
import { Check, Select } from "./inputs.tsx";
import { hasChanged } from "./logEntry.ts";
import { changes } from "./plan.tsx";
import { gm } from "./texts.ts";
import "./log.css";

const ALL = "all";
type Action = typeof ALL | (typeof gm.log.filters)[number][0];

/** Values of details that say something to a person. */
const isTelling = ([name, value]: [string, unknown]): boolean =>
  name !== "reason" && value !== null && !name.endsWith("_id") && !name.endsWith("_ids");

const detailText = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** They are drawn when somebody opens them: a list of hundreds of entries is faster without. */
const Details = ({ told, requestId }: { told: [string, unknown][]; requestId: string }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{gm.log.details}</summary>
      {isOpen ? (
        <dl class="log-details">
          {told.map(([name, value]) => (
            <div key={name}>
              <dt>{name.replaceAll("_", " ")}</dt>
              <dd>{detailText(value)}</dd>
            </div>
          ))}
          <div>
            <dt>{gm.log.request}</dt>
            <dd>{requestId}</dd>
          </div>
        </dl>
      ) : null}
    </details>
  );
};

const Entry = ({ entry }: { entry: LogEntry }) => {
  const { details, outcome, at, request_id } = entry;
  const told = Object.entries(details).filter(isTelling);
  return (
    <li class="log-entry">
      <div class="row">
        <p class="grow">
          {gm.actions(entry)}
          {outcome === "done" ? null : <span class="refused">{gm.log.refused(outcome)}</span>}
          {typeof details.reason === "string" ? <span class="sub">“{details.reason}”</span> : null}
        </p>
        <time class="muted number" dateTime={at}>
          {timeText(Date.parse(at), now.value ?? Date.now())}
        </time>
      </div>
      {told.length === 0 ? null : <Details told={told} requestId={request_id} />}
    </li>
  );
};

/** Who did it and to whom, as a search looks through it. */
const textOf = ({ actor, target }: LogEntry): string => folded(`${actor ?? ""}\n${target ?? ""}`);

export const Log = () => {
  const [action, setAction] = useState<Action>(ALL);
  const [who, setWho] = useState("");
  const [onlyRefused, setOnlyRefused] = useState(false);
  const [hasLooks, setLooks] = useState(false);
  const count = changes.value;
  const load = useCallback(
    async (cursor?: string): Promise<PageOf<LogEntry>> => {
      const { logs, next_cursor } = await read("/admin/get_logs/{url_id}", {
        limit: 200,
        ...(action === ALL ? {} : { action }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      return { items: logs, next: next_cursor };
    },
    [action, count],
  );
  const pages = usePages(load);
  const { items, loadMore } = pages;
  // Filtered once, so that a letter of an alias takes only a search in each text.
  const wanted = useMemo(() => {
    const isWanted = (entry: LogEntry): boolean =>
      onlyRefused ? entry.outcome !== "done" : hasLooks || action !== ALL || hasChanged(entry);
    return items.filter(isWanted).map((entry) => ({ entry, text: textOf(entry) }));
  }, [items, onlyRefused, hasLooks, action]);
  const shown = useMemo(() => {
    const isMatch = matchingFolded(who);
    return wanted.filter(({ text }) => isMatch(text)).map(({ entry }) => entry);
  }, [wanted, who]);
  const { drawn, more, end } = useDrawn(shown);
  const hasMore = shown.length > drawn;
  return (
    <main class="page stack">
      <h1>{gm.log.title}</h1>
      <div class="card pair">
        <Select
          label={gm.log.action}
          name="action"
          value={action}
          options={[[ALL, gm.log.all], ...gm.log.filters]}
          onChange={setAction}
        />
        <Field label={gm.log.who} name="who" value={who} onChange={setWho} required={false} />
        <div>
          <Check label={gm.log.looks} name="looks" value={hasLooks} onChange={setLooks} />
          <Check label={gm.log.onlyRefused} name="refused" value={onlyRefused} onChange={setOnlyRefused} />
        </div>
      </div>
      <PagesList pages={{ ...pages, items: shown.slice(0, drawn), loadMore: undefined }} empty={gm.log.empty}>
        {(entry) => <Entry key={entry.log_id} entry={entry} />}
      </PagesList>
      {hasMore ? (
        <button ref={end} type="button" class="button" onClick={more}>
          {gm.common.more}
        </button>
      ) : null}
      {hasMore || loadMore === undefined ? null : (
        <button type="button" class="button" disabled={pages.isLoading} onClick={loadMore}>
          {gm.common.more}
        </button>
      )}
    </main>
  );
};
