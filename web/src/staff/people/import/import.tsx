/** Imports players from a CSV file: what its columns are for, what will be stored, then the accounts and their invitations. */
import { Download } from "lucide";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { useSubmit } from "../../../state/resource.ts";
import { gm } from "../../../text/staff.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ErrorNote, FaultNote } from "../../../ui/feedback.tsx";
import { sendsMail } from "../../calls.ts";
import { notifyChanged } from "../../changes.ts";
import { useRoster } from "../../roster.ts";
import { Address, playersOrigin } from "../../ui/address.tsx";
import { type CsvTable, fromCsv, toCsv } from "../../ui/csv.ts";
import { Checkbox, Select } from "../../ui/inputs.tsx";
import { ReadError } from "../../ui/loading.tsx";
import { saveFile } from "../../ui/saveFile.ts";
import { guessUses, isHeadless, sheetOf, type Use, withUse } from "./columns.ts";
import { decode, type Encoding, otherFileText } from "./decode.ts";
import { saveInvitations } from "./invitations.ts";
import { Mapping } from "./mapping.tsx";
import { Preview } from "./preview.tsx";
import { type Draft, makeDrafts, proposeOthers, sameAliases } from "./rows.ts";
import { type Results, type RowResult, sendRows } from "./send.ts";
import "./import.css";

const TEMPLATE = ["alias", "first_name", "last_name", "email", "labels"];

/** How often other aliases are proposed for players whose proposal the service refuses. */
const PROPOSALS = 5;

const NONE: Results = new Map();

/** A dry run. Who has a proposed alias that the service refuses gets another one. */
const check = async (given: readonly Draft[]): Promise<{ drafts: Draft[]; results: Results }> => {
  let drafts = [...given];
  const same = sameAliases(drafts);
  const results = new Map(
    await sendRows(
      drafts.filter(({ row }) => !same.has(row)),
      { dry_run: true },
    ),
  );
  for (const { row, alias } of drafts) {
    const of = same.get(row);
    if (of === undefined) continue;
    const error = { path: "alias", message: gm.import.sameAlias(of), code: "duplicate" };
    results.set(row, { row, alias, status: "rejected", errors: [error] });
  }
  for (let times = 0; times < PROPOSALS; times += 1) {
    const isRefused = ({ row, isProposed }: Draft): boolean =>
      isProposed && (results.get(row)?.errors?.some(({ path }) => path === "alias") ?? false);
    const refused = new Set(drafts.filter(isRefused).map(({ row }) => row));
    if (refused.size === 0) break;
    drafts = proposeOthers(drafts, refused);
    const again = drafts.filter(({ row }) => refused.has(row));
    for (const [row, result] of await sendRows(again, { dry_run: true })) results.set(row, result);
  }
  return { drafts, results };
};

/** A file that was read, and how a game master wants it to be understood. */
interface Source {
  bytes: Uint8Array;
  encoding: Encoding;
  hasHeads: boolean;
  isUnicode: boolean;
  table: CsvTable;
}

const sourceOf = (bytes: Uint8Array, encoding: Encoding): Source => {
  const { text, isUnicode } = decode(bytes, encoding);
  const table = fromCsv(text);
  return { bytes, encoding, isUnicode, table, hasHeads: !isHeadless(table) };
};

/** How many notes of a kind are shown. All are in the preview as well. */
const MAX_NOTES = 20;

const shortened = (texts: readonly string[]): readonly string[] =>
  texts.length <= MAX_NOTES
    ? texts
    : [...texts.slice(0, MAX_NOTES), gm.import.more(texts.length - MAX_NOTES)];

/** Something about a file that a game master should know, though its rows are read. */
const Notes = ({ texts }: { texts: readonly string[] }) =>
  texts.length === 0 ? null : (
    <ul class="note bullets">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );

const isCreated = ({ status }: RowResult): boolean => status === "created" || status === "invited";

/** The import of one file: columns, preview, creation. */
const ImportFile = ({ source, onSource }: { source: Source; onSource: (source: Source) => void }) => {
  const { table, hasHeads, isUnicode, encoding, bytes } = source;
  const roster = useRoster();
  const { players } = roster;
  const sheet = useMemo(() => sheetOf(table, hasHeads), [table, hasHeads]);
  const [uses, setUses] = useState<readonly Use[]>(() => guessUses(sheet));
  const [typed, setTyped] = useState<ReadonlyMap<number, string>>(new Map());
  const [withRepeats, setWithRepeats] = useState(false);
  const [checked, setChecked] = useState<{ drafts: readonly Draft[]; results: Results } | null>(null);
  const [error, setError] = useState<unknown>(null);
  /** The results of the creation, by row. */
  const [made, setMade] = useState<Results | null>(null);
  /** Whether an earlier attempt may have created players without telling their codes. */
  const isUnsure = useRef(false);
  const latest = useRef(0);

  // The players as they were when the file was read: those of the file itself must not count as others.
  const known = useRef(players);
  if (made === null) known.current = players;
  const { drafts, blank } = useMemo(
    () =>
      makeDrafts(
        sheet,
        uses,
        known.current.map(({ player }) => player),
        typed,
      ),
    [sheet, uses, typed, known.current],
  );
  const isLeftOut = ({ repeats }: Draft): boolean => repeats !== null && !withRepeats;

  useEffect(() => {
    if (made !== null) return;
    latest.current += 1;
    const turn = latest.current;
    setError(null);
    setChecked(null);
    const wanted = drafts.filter((draft) => !isLeftOut(draft));
    if (wanted.length === 0) return;
    check(wanted).then(
      (found) => {
        if (turn !== latest.current) return;
        const byRow = new Map(found.drafts.map((draft) => [draft.row, draft]));
        setChecked({ ...found, drafts: drafts.map((draft) => byRow.get(draft.row) ?? draft) });
      },
      (reason: unknown) => {
        if (turn === latest.current) setError(reason);
      },
    );
  }, [drafts, withRepeats]);

  const shown = checked?.drafts ?? drafts;
  const results: Results = new Map([...(checked?.results ?? NONE), ...(made ?? NONE)]);
  const isDone = made !== null;
  const all = [...results.values()].map((result) =>
    isDone && !made.has(result.row) && result.status === "created"
      ? { ...result, status: "pending" as const }
      : result,
  );
  const waiting = shown.filter(({ row }) => {
    const status = results.get(row)?.status;
    return made?.has(row) === true ? status === "pending" : status === "created" || status === "pending";
  });
  const save = (from: Results): void => {
    const people = new Map(shown.map((draft) => [draft.row, draft]));
    saveInvitations(from.values(), ({ row }) => people.get(row));
  };
  const create = useSubmit(async () => {
    let found: Results = made ?? new Map();
    try {
      const options = isUnsure.current ? { renew_invitations: true } : {};
      const before = found;
      await sendRows(waiting, options, (more) => {
        found = new Map([...before, ...more]);
        setMade(found);
      });
      isUnsure.current = false;
    } catch (reason) {
      isUnsure.current = true;
      // So that no dry run finds those who may exist already.
      setMade(found);
      throw reason;
    } finally {
      if ([...found.values()].some(isCreated)) save(found);
      notifyChanged();
    }
  });

  const ignored = sheet.columns.filter((_, at) => (uses[at] ?? "ignore") === "ignore");
  const repeating = drafts.filter(({ repeats }) => repeats !== null);
  const headOf = (column: number): string => sheet.columns[column]?.head ?? "";
  const notes = [
    ...shortened(
      table.strayQuotes.map(({ row, column, cell }) => gm.import.strayQuote(row, headOf(column), cell)),
    ),
    ...shortened(
      drafts
        .filter(({ beyond }) => beyond.length > 0)
        .map(({ row, beyond }) => gm.import.beyondRow(row, beyond)),
    ),
    ...(blank.length === 0 || drafts.length === 0
      ? []
      : [gm.import.blank(blank.slice(0, MAX_NOTES), blank.length)]),
    ...(ignored.length === 0 ? [] : [gm.import.ignored(ignored.map(({ head }) => head))]),
    ...shortened(repeating.map(({ row, repeats, email }) => gm.import.repeated(row, email, repeats ?? 0))),
  ];
  const faulty = shown.filter(({ row }) => {
    const result = results.get(row);
    return result?.status === "rejected" || result?.needs_decision === true;
  });
  return (
    <>
      {isUnicode || isDone ? null : (
        <Select
          label={gm.import.encoding}
          name="encoding"
          hint={gm.import.encodingHint}
          value={encoding}
          options={gm.import.encodings}
          onChange={(chosen) => onSource({ ...sourceOf(bytes, chosen), hasHeads })}
        />
      )}
      {isDone ? null : (
        <>
          <Checkbox
            label={gm.import.hasHeads}
            name="has_heads"
            value={hasHeads}
            onChange={(chosen) => onSource({ ...source, hasHeads: chosen })}
          />
          <Mapping
            columns={sheet.columns}
            uses={uses}
            onChange={(at, use) => setUses(withUse(uses, at, use))}
          />
        </>
      )}
      {repeating.length === 0 || isDone ? null : (
        <Checkbox
          label={gm.import.withRepeats(repeating.length)}
          name="with_repeats"
          value={withRepeats}
          onChange={setWithRepeats}
        />
      )}
      <Notes texts={notes} />
      <ReadError of={[roster]} />
      {drafts.length === 0 ? <FaultNote text={gm.import.noNames} /> : null}
      <ErrorNote error={error} onRetry={() => setTyped(new Map(typed))} />
      <div aria-live="polite">
        {checked === null || create.isSending ? null : (
          <p class="note">{gm.import.summary({ rows: all, dry_run: !isDone })}</p>
        )}
        {faulty.length === 0 ? null : (
          <ul class="list">
            {faulty.map(({ row, alias }) => (
              <li key={row} class="row">
                <p class="grow">
                  <strong>{gm.import.row(row, alias)}</strong>
                  <span class="sub">
                    {results
                      .get(row)
                      ?.errors?.map(({ message }) => message)
                      .join(" ") ?? gm.import.needsDecision(isDone)}
                  </span>
                </p>
              </li>
            ))}
          </ul>
        )}
      </div>
      <Preview
        drafts={shown}
        results={results}
        isLeftOut={isLeftOut}
        isDone={isDone}
        onAlias={(row, alias) => setTyped(new Map([...typed, [row, alias]]))}
      />
      {create.isSending ? (
        <label class="stack">
          {gm.import.progress(made?.size ?? 0, (made?.size ?? 0) + waiting.length)}
          <progress value={made?.size ?? 0} max={(made?.size ?? 0) + waiting.length} />
        </label>
      ) : null}
      <ErrorNote error={create.error} />
      {isDone && all.some(isCreated) ? <p>{gm.import.keep}</p> : null}
      <Address />
      {playersOrigin() === null ? <p class="muted">{gm.import.local(location.origin)}</p> : null}
      <div class="actions">
        {isDone && waiting.length === 0 ? null : (
          <Button
            text={gm.import.create(waiting.length)}
            kind="primary"
            disabled={waiting.length === 0 || create.isSending}
            onClick={() => void create.submit()}
          />
        )}
        {isDone && waiting.length === 0 && sendsMail() ? (
          <ButtonLink text={gm.import.byMail} kind="primary" href={paths.gm.invitations} />
        ) : null}
        {isDone && all.some(isCreated) ? <Button text={gm.import.save} onClick={() => save(made)} /> : null}
      </div>
    </>
  );
};

export const Import = () => {
  const [source, setSource] = useState<Source | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  /** How often a file was chosen, or is to be understood anew. */
  const [version, setVersion] = useState(0);
  const use = (next: Source | null): void => {
    setSource(next);
    setVersion(version + 1);
  };
  const read = async (file: File | undefined): Promise<void> => {
    use(null);
    setFault(null);
    if (file === undefined) return;
    const buffer = await file.arrayBuffer().catch(() => null);
    if (buffer === null) return setFault(gm.import.gone);
    const bytes = new Uint8Array(buffer);
    const other = otherFileText(bytes);
    if (other !== null) return setFault(other);
    const found = sourceOf(bytes, "windows-1252");
    if (sheetOf(found.table, found.hasHeads).rows.length === 0) return setFault(gm.import.empty);
    use(found);
  };
  return (
    <main class="page stack">
      <h1>{gm.nav.import}</h1>
      <p class="muted">{gm.import.hint}</p>
      <div class="actions">
        <Button
          text={gm.import.template}
          icon={Download}
          onClick={() => saveFile("players-template.csv", toCsv([TEMPLATE]))}
        />
      </div>
      <input
        class="file"
        type="file"
        accept=".csv,.tsv,.txt,.xlsx,.ods,text/csv,text/plain,text/tab-separated-values"
        aria-label={gm.import.file}
        onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
      />
      {fault === null ? null : <FaultNote text={fault} />}
      {source === null ? null : <ImportFile key={version} source={source} onSource={use} />}
    </main>
  );
};
