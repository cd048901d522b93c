/** The page for ad-hoc PartiQL queries, with examples, a history and the result as a table. */
import { Play } from "lucide";
import { useState } from "preact/hooks";
import { useDraft } from "../../../state/draft.ts";
import { useSubmit } from "../../../state/resource.ts";
import { list, text } from "../../../state/shapes.ts";
import { readStored, writeStored } from "../../../state/stored.ts";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import { Empty, ErrorNote, FormError } from "../../../ui/feedback.tsx";
import { Restored } from "../../../ui/layout/restored.tsx";
import { command } from "../../calls.ts";
import { toCsv } from "../../ui/csv.ts";
import { TextArea } from "../../ui/inputs.tsx";
import { saveFile } from "../../ui/saveFile.ts";
import "./sql.css";

const STORAGE_KEY = "statements";
const MAX_HISTORY = 20;
const LIMIT = 100;

const loadHistory = (): string[] => readStored<string[]>(STORAGE_KEY, list(text)) ?? [];

const saveStatement = (statement: string): string[] => {
  const next = [statement, ...loadHistory().filter((one) => one !== statement)].slice(0, MAX_HISTORY);
  writeStored(STORAGE_KEY, next);
  return next;
};

/** Also listed in docs/api.md. */
const examples = (): readonly (readonly [title: string, statement: string])[] => [
  [gm.sql.byAlias, `SELECT player_id FROM "game" WHERE pk = 'ALIAS#ada'`],
  [
    gm.sql.roster,
    `SELECT alias, state, kills, created_at FROM "game"."gsi1"\nWHERE gsi1pk = 'ROSTER#0' AND begins_with(gsi1sk, 'b')`,
  ],
  [
    gm.sql.hunters,
    `SELECT alias, kills, infected_at FROM "game"."gsi3" WHERE gsi3pk = 'KILLS#0' AND kills > 0`,
  ],
  [
    gm.sql.rejected,
    `SELECT at, actor, target, action, outcome FROM "game" WHERE pk = 'LOGS#0' AND outcome <> 'done'`,
  ],
];

type Item = Record<string, unknown>;

const cellText = (value: unknown): string =>
  value === undefined || value === null
    ? ""
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

const Items = ({ items }: { items: readonly Item[] }) => {
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  return (
    // The table may be wider than the screen, and has to be scrollable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached
    <section class="table-scroll" aria-label={gm.sql.result} tabIndex={0}>
      <table class="items">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={JSON.stringify(item)}>
              {columns.map((column) => (
                <td key={column}>{cellText(item[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};

export const Sql = () => {
  const draft = useDraft("statement", "");
  const { value: statement, set: setStatement } = draft;
  const [history, setHistory] = useState(loadHistory);
  const [result, setResult] = useState<{ of: string; items: readonly Item[]; next: string | null } | null>(
    null,
  );
  const run = async (of: string, cursor?: string): Promise<void> => {
    const more = cursor === undefined ? {} : { cursor };
    const page = await command("inject_sql", { statement: of, limit: LIMIT, ...more });
    const before = cursor === undefined ? [] : (result?.items ?? []);
    setResult({ of, items: [...before, ...page.items], next: page.next_cursor });
    setHistory(saveStatement(of));
  };
  const form = useSubmit(() => run(statement.trim()));
  const more = useSubmit(async () => {
    if (result !== null && result.next !== null) await run(result.of, result.next);
  });
  const save = (items: readonly Item[]): void => {
    const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
    saveFile(
      "result.csv",
      toCsv([columns, ...items.map((item) => columns.map((one) => cellText(item[one])))]),
    );
  };
  const choose = (title: string, statements: readonly (readonly [string, string])[]) =>
    statements.length === 0 ? null : (
      <details class="card">
        <summary>{title}</summary>
        <ul class="list">
          {statements.map(([name, text]) => (
            <li key={text}>
              <button type="button" class="row statement-row" onClick={() => setStatement(text)}>
                <span class="grow">
                  {name === text ? null : name}
                  <code>{text}</code>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </details>
    );
  return (
    <main class="page wide stack">
      <header>
        <h1>{gm.sql.title}</h1>
        <p class="muted">{gm.sql.lead}</p>
      </header>
      <form class="card stack sql" onSubmit={form.submit}>
        <Restored draft={draft} />
        <TextArea label={gm.sql.label} name="statement" rows={5} value={statement} onChange={setStatement} />
        <FormError error={form.error} />
        <div class="actions">
          <Button
            text={gm.commands.inject_sql.button}
            icon={Play}
            kind="primary"
            type="submit"
            disabled={statement.trim() === "" || form.isSending}
          />
        </div>
      </form>
      {choose(gm.sql.examples, examples())}
      {choose(
        gm.sql.history,
        history.map((one) => [one, one] as const),
      )}
      {result === null ? null : (
        <>
          <div class="head">
            <h2>{gm.sql.found(result.items.length, result.next !== null)}</h2>
            <Button
              text={gm.sql.save}
              disabled={result.items.length === 0}
              onClick={() => save(result.items)}
            />
          </div>
          {result.items.length === 0 ? <Empty>{gm.sql.empty}</Empty> : <Items items={result.items} />}
          <ErrorNote error={more.error} />
          {result.next === null ? null : (
            <Button text={gm.common.more} disabled={more.isSending} onClick={() => void more.submit()} />
          )}
        </>
      )}
    </main>
  );
};
