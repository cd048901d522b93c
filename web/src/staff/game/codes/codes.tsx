/** The codes for players: all batches with the form that makes another, and one batch with its redemptions. */
import { ArrowLeft, Printer, Undo2 } from "lucide";
import { useCallback } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../../paths.ts";
import { readUntil } from "../../../state/resource.ts";
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Empty } from "../../../ui/feedback.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { type Batch, command, type Redemption, read } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { useIncrementalList } from "../../ui/incrementalList.tsx";
import { Loading } from "../../ui/loading.tsx";
import { voidEffects } from "../../ui/previews.ts";
import { effectSentences, sentencesFor } from "./effectText.ts";
import { MakeCodes } from "./makeCodes.tsx";

const PAGE_SIZE = 1_000;
const ALL = Number.POSITIVE_INFINITY;

/** All batches, the newest first. */
export const readBatches = async (): Promise<Batch[]> => {
  const readPage = async (cursor?: string) => {
    const { batches, next_cursor } = await read("codes", {
      limit: PAGE_SIZE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    return { items: batches, next: next_cursor };
  };
  return (await readUntil(readPage, undefined, ALL)).items;
};

interface OpenedBatch {
  batch: Batch;
  /** How many redemptions are not undone. */
  redeemed: number;
  redemptions: readonly Redemption[];
}

const readBatch = async (batch_id: string): Promise<OpenedBatch | null> => {
  const readPage = (cursor?: string) =>
    read("codes", { batch_id, limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) });
  const { batches, redeemed = 0, redemptions = [], next_cursor } = await readPage();
  const readNext = async (cursor?: string) => {
    const page = await readPage(cursor);
    return { items: page.redemptions ?? [], next: page.next_cursor };
  };
  const others = next_cursor === null ? [] : (await readUntil(readNext, next_cursor, ALL)).items;
  const [batch] = batches;
  return batch === undefined ? null : { batch, redeemed, redemptions: [...redemptions, ...others] };
};

const previewUndo = async ({ redemption_id, alias }: Redemption): Promise<Confirmation> => {
  const { effects } = await command("undo_redemption", { redemption_id, dry_run: true });
  return {
    action: "undo_redemption",
    title: gm.codes.undoTitle(alias ?? gm.codes.hidden),
    effects: voidEffects(effects, "code"),
    run: async (reason, key) => {
      await command("undo_redemption", { redemption_id, ...reason }, key);
      return { text: gm.codes.undoDone };
    },
  };
};

const revokeConfirmation = ({ batch_id, label }: Batch): Confirmation => ({
  action: "revoke_codes",
  title: gm.codes.revokeTitle(label),
  effects: gm.codes.revokeEffects,
  run: async (reason, key) => {
    const { revoked } = await command("revoke_codes", { batch_id, ...reason }, key);
    return { text: gm.codes.revokeDone(revoked) };
  },
});

const Row = ({ redemption, at }: { redemption: Redemption; at: number }) => {
  const { alias, player_ref, number, at: time, recorded_at, undone_at } = redemption;
  const text = (instant: string): string => timeText(Date.parse(instant), at);
  const content = (
    <>
      <strong>{alias ?? gm.codes.hidden}</strong>
      <span class="sub">
        {[
          gm.codes.code(number),
          text(time),
          ...(text(recorded_at) === text(time) ? [] : [gm.codes.late(text(recorded_at))]),
        ].join(" · ")}
      </span>
    </>
  );
  return (
    <li class="row">
      {player_ref === null ? (
        <p class="grow">{content}</p>
      ) : (
        <a class="grow" href={paths.gm.player(player_ref)}>
          {content}
        </a>
      )}
      {undone_at === null ? (
        <CommandButton
          action="undo_redemption"
          icon={Undo2}
          kind="quiet"
          preview={() => previewUndo(redemption)}
        />
      ) : (
        <span class="muted">{gm.codes.undone(text(undone_at))}</span>
      )}
    </li>
  );
};

const Opened = ({ opened: { batch, redeemed, redemptions } }: { opened: OpenedBatch }) => {
  const { batch_id, label, n, uses, revoked } = batch;
  const { first, more } = useIncrementalList(redemptions, batch_id);
  const at = now.value ?? Date.now();
  return (
    <>
      <h1>{label}</h1>
      <section class="card stack">
        <h2>{gm.codes.redeemed(redeemed, n * uses)}</h2>
        <ul class="effects">
          {[...sentencesFor(batch), ...(revoked === 0 ? [] : [gm.codes.revoked(revoked, n)])].map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        <div class="actions">
          <ButtonLink text={gm.codes.sheet} icon={Printer} href={paths.gm.sheetOf(batch_id)} />
          {revoked < n ? (
            <CommandButton action="revoke_codes" kind="danger" confirmation={revokeConfirmation(batch)} />
          ) : null}
        </div>
      </section>
      <section class="card stack">
        <h2>{gm.codes.redemptions}</h2>
        {redemptions.length === 0 ? <Empty>{gm.codes.noRedemptions}</Empty> : null}
        <ul class="list">
          {first.map((one) => (
            <Row key={one.redemption_id} redemption={one} at={at} />
          ))}
        </ul>
        {more}
      </section>
    </>
  );
};

const BatchPage = ({ id }: { id: string }) => {
  const polled = usePolled(useCallback(() => readBatch(id), [id]));
  return (
    <main class="page stack">
      <a class="row muted" href={paths.gm.codes}>
        <Icon of={ArrowLeft} size={20} />
        {gm.codes.back}
      </a>
      <Loading of={polled} />
      {polled.value === null ? null : <Opened key={id} opened={polled.value} />}
    </main>
  );
};

const BatchRow = ({
  batch: { batch_id, label, n, effect, audience, revoked, created_at },
  at,
}: {
  batch: Batch;
  at: number;
}) => (
  <li>
    <a class="row" href={paths.gm.batch(batch_id)}>
      <span class="grow">
        <strong>{label}</strong>
        <span class="sub">
          {[
            gm.codes.makes(n, gm.codes.whoCan[audience] ?? audience),
            ...effectSentences(effect, n),
            ...(revoked === 0 ? [] : [gm.codes.revoked(revoked, n)]),
          ].join(" ")}
        </span>
      </span>
      <time class="muted number" dateTime={created_at}>
        {timeText(Date.parse(created_at), at)}
      </time>
    </a>
  </li>
);

const AllBatches = () => {
  const polled = usePolled(readBatches);
  const at = now.value ?? Date.now();
  return (
    <main class="page stack">
      <h1>{gm.nav.codes}</h1>
      <p class="muted">{gm.codes.lead}</p>
      <Loading of={polled} rows={2} />
      {polled.value?.length === 0 ? <Empty>{gm.codes.none}</Empty> : null}
      <ul class="list">
        {(polled.value ?? []).map((batch) => (
          <BatchRow key={batch.batch_id} batch={batch} at={at} />
        ))}
      </ul>
      {/* The form comes when the list is there, which would move it. */}
      {polled.value === null && polled.error === null ? null : (
        <section class="card stack">
          <h2>{gm.codes.new}</h2>
          <MakeCodes />
        </section>
      )}
    </main>
  );
};

export const Codes = () => {
  const { path } = useLocation();
  const id = path.startsWith(paths.gm.batch("")) ? decodeURIComponent(path.split("/").at(-1) ?? "") : null;
  return id === null || id === "" ? <AllBatches /> : <BatchPage id={id} />;
};
