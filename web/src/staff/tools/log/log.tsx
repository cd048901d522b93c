/** The audit log, with filters by action, player and outcome. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { type PageOf, usePages } from "../../../state/resource.ts";
import { foldedMatcher, foldText } from "../../../state/search.ts";
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { PagesList } from "../../../ui/layout/pagesList.tsx";
import { type LogEntry, read } from "../../calls.ts";
import { changeCount } from "../../changes.ts";
import { useIncrementalList } from "../../ui/incrementalList.tsx";
import { Checkbox, Select } from "../../ui/inputs.tsx";
import "./log.css";

const ALL = "all";
type Action = typeof ALL | (typeof gm.log.filters)[number][0];

/** Whether a detail is meaningful to a person. Ids and empty values are not; the reason is shown elsewhere. */
const isReadable = ([name, value]: [string, unknown]): boolean =>
  name !== "reason" && value !== null && !name.endsWith("_id") && !name.endsWith("_ids");

const detailText = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** The details of an entry. Rendered only when expanded, to keep a list of hundreds of entries fast. */
const Details = ({ shownDetails, requestId }: { shownDetails: [string, unknown][]; requestId: string }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{gm.log.details}</summary>
      {isOpen ? (
        <dl class="log-details">
          {shownDetails.map(([name, value]) => (
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
  const shownDetails = Object.entries(details).filter(isReadable);
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
      {shownDetails.length === 0 ? null : <Details shownDetails={shownDetails} requestId={request_id} />}
    </li>
  );
};

/** The searchable text of an entry: its actor and target. */
const textOf = ({ actor, target }: LogEntry): string => foldText(`${actor ?? ""}\n${target ?? ""}`);

export const Log = () => {
  const [action, setAction] = useState<Action>(ALL);
  const [who, setWho] = useState("");
  const [onlyRefused, setOnlyRefused] = useState(false);
  const [includesReads, setIncludesReads] = useState(false);
  const changesSeen = changeCount.value;
  const load = useCallback(
    async (cursor?: string): Promise<PageOf<LogEntry>> => {
      const { logs, next_cursor } = await read("get_logs", {
        limit: 200,
        ...(action === ALL ? {} : { action }),
        ...(onlyRefused ? { outcome: "refused" } : {}),
        // A login is no change, but is asked for by its name.
        ...(action === "login" || includesReads || onlyRefused ? {} : { changes: "true" }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      return { items: logs, next: next_cursor };
    },
    [action, onlyRefused, includesReads, changesSeen],
  );
  const pages = usePages(load);
  const { items, loadMore } = pages;
  // Memoized, so that typing an alias only searches the prepared texts.
  const searchable = useMemo(() => items.map((entry) => ({ entry, text: textOf(entry) })), [items]);
  const matches = useMemo(() => {
    const isMatch = foldedMatcher(who);
    return searchable.filter(({ text }) => isMatch(text)).map(({ entry }) => entry);
  }, [searchable, who]);
  // Somebody who has done little is further back.
  const looksFurther = matches.length === 0 && loadMore !== undefined && pages.error === null;
  useEffect(() => {
    if (looksFurther && !pages.isLoading) void loadMore();
  }, [looksFurther, pages.isLoading, loadMore]);
  const { first, more } = useIncrementalList(matches);
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
          <Checkbox
            label={gm.log.includeReads}
            name="looks"
            value={includesReads}
            onChange={setIncludesReads}
          />
          <Checkbox label={gm.log.onlyRefused} name="refused" value={onlyRefused} onChange={setOnlyRefused} />
        </div>
      </div>
      <PagesList
        pages={{
          ...pages,
          items: first,
          isLoading: pages.isLoading || looksFurther,
          loadMore: undefined,
        }}
        empty={gm.log.empty}
      >
        {(entry) => <Entry key={entry.log_id} entry={entry} />}
      </PagesList>
      {more}
      {more !== null || looksFurther || loadMore === undefined ? null : (
        <Button text={gm.common.more} disabled={pages.isLoading} onClick={loadMore} />
      )}
    </main>
  );
};
