/** What will be stored for each row of a file, and what is wrong with it. */
import { gm } from "../../../text/staff.ts";
import { UseInstead } from "../../../ui/field.tsx";
import { useIncrementalList } from "../../ui/incrementalList.tsx";
import type { Draft } from "./rows.ts";
import type { Results, RowResult } from "./send.ts";

type RowError = NonNullable<RowResult["errors"]>[number];

interface PreviewProps {
  drafts: readonly Draft[];
  results: Results;
  /** The rows that are left out, because they repeat a mailbox. */
  isLeftOut: (draft: Draft) => boolean;
  isDone: boolean;
  /** Called with an alias that was typed for a row. */
  onAlias: (row: number, alias: string) => void;
}

/** What becomes of a row. */
const outcomeText = (
  draft: Draft,
  result: RowResult | undefined,
  { isLeftOut, isDone }: Pick<PreviewProps, "isLeftOut" | "isDone">,
): string => {
  const { repeats, beyond } = draft;
  const notes = beyond.length === 0 ? [] : [gm.import.beyond(beyond)];
  if (repeats !== null) notes.unshift(gm.import.repeats(repeats));
  if (isLeftOut(draft)) return [gm.import.leftOut, ...notes].join(" ");
  if (result === undefined) return notes.join(" ");
  const { status, errors = [], needs_decision } = result;
  if (status === "rejected") return [...errors.map(({ message }) => message), ...notes].join(" ");
  if (needs_decision === true) notes.push(gm.import.needsDecision(isDone));
  return [gm.import.outcome(status, !isDone), ...notes].join(" ");
};

/** An alias that was proposed or refused may be typed anew, as long as the player has not been created. */
const AliasCell = ({
  draft,
  refusal,
  isOpen,
  onAlias,
}: { draft: Draft; refusal: RowError | undefined; isOpen: boolean } & Pick<PreviewProps, "onAlias">) => {
  const { row, alias, isProposed } = draft;
  if (!isOpen || !(isProposed || refusal !== undefined)) return <>{alias}</>;
  const suggestion = refusal?.params?.suggestion;
  return (
    <>
      <label class="alias-cell">
        <span class="visually-hidden">{gm.import.aliasOf(row)}</span>
        <input
          type="text"
          name={`alias-${row}`}
          value={alias}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          onChange={({ currentTarget }) => onAlias(row, currentTarget.value.trim())}
        />
        {isProposed ? <span class="sub">{gm.import.proposed}</span> : null}
      </label>
      <UseInstead
        suggestion={typeof suggestion === "string" ? suggestion : undefined}
        onUse={(other) => onAlias(row, other)}
      />
    </>
  );
};

export const Preview = ({ drafts, results, ...props }: PreviewProps) => {
  const { first, more } = useIncrementalList(drafts);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached */}
      <section class="table-scroll preview-scroll" aria-label={gm.import.preview} tabIndex={0}>
        <table class="items preview">
          <thead>
            <tr>
              {gm.import.heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first.map((draft) => {
              const result = results.get(draft.row);
              const isLeftOut = props.isLeftOut(draft);
              const isRejected = result?.status === "rejected";
              const refusal = result?.errors?.find(({ path }) => path === "alias");
              return (
                <tr key={draft.row} data-kind={isLeftOut || isRejected ? "refused" : undefined}>
                  <th scope="row">{draft.row}</th>
                  <td>
                    <AliasCell
                      draft={draft}
                      refusal={refusal}
                      isOpen={!props.isDone && !isLeftOut}
                      onAlias={props.onAlias}
                    />
                  </td>
                  <td>{draft.first_name}</td>
                  <td>{draft.last_name}</td>
                  <td class="address">{draft.email}</td>
                  <td>{draft.labels.join(", ")}</td>
                  <td class="outcome">{outcomeText(draft, result, props)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {more}
    </>
  );
};
