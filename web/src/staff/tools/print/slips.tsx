/** Slips with the codes of a batch. Who sees them cannot redeem them, so they are read only when they are asked for. */
import { useState } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { useSubmit } from "../../../state/resource.ts";
import { gm } from "../../../text/staff.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Qr } from "../../../ui/camera/qr.tsx";
import { Empty, ErrorNote } from "../../../ui/feedback.tsx";
import { formatCode } from "../../../ui/tagCode.tsx";
import { type Batch, read } from "../../calls.ts";
import { readBatches } from "../../game/codes/codes.tsx";
import { usePolled } from "../../polled.ts";
import { playersOrigin } from "../../ui/address.tsx";
import { Select } from "../../ui/inputs.tsx";
import { Loading } from "../../ui/loading.tsx";

const ON_A_PAGE = 8;

interface Slip {
  code: string;
  number: number;
}

interface Sheet {
  batch: Batch;
  slips: readonly Slip[];
  /** How many codes nobody can redeem any more. */
  left: number;
}

const readSheet = async (batch: Batch): Promise<Sheet> => {
  const { codes = [] } = await read("codes", { batch_id: batch.batch_id, sheet: "1", limit: 1 });
  const slips = codes.filter(({ used, revoked }) => !revoked && used < batch.uses);
  return { batch, slips, left: codes.length - slips.length };
};

const SlipCard = ({
  batch: { label, n },
  slip: { code, number },
  name,
}: {
  batch: Batch;
  slip: Slip;
  name: string;
}) => {
  const origin = playersOrigin();
  const address = origin === null ? null : `${new URL(origin).host}${paths.tag}`;
  return (
    <li class="id-card slip">
      <div>
        <div class="slip-words">
          <span>{name}</span>
          <strong>{label}</strong>
          <p class="id-code number">{formatCode(code)}</p>
          <span>{address === null ? gm.print.redeemInApp : gm.print.redeem(address)}</span>
        </div>
        <Qr text={origin === null ? code : origin + paths.tagWith(code)} label={gm.print.qr(code)} />
      </div>
      <span class="slip-stub">{gm.print.stub(label, number, n)}</span>
    </li>
  );
};

/** @param props.name the name of the game @param props.of the id of the batch that is chosen at first */
export const Slips = ({ name, of }: { name: string; of: string | undefined }) => {
  const polled = usePolled(readBatches);
  const [chosen, setChosen] = useState(of);
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const batches = polled.value ?? [];
  const batch = batches.find(({ batch_id }) => batch_id === chosen) ?? batches[0];
  const form = useSubmit(async () => {
    if (batch !== undefined) setSheet(await readSheet(batch));
  });
  if (batch === undefined)
    return (
      <>
        <Loading of={polled} rows={2} />
        {polled.value === null ? null : (
          <>
            <Empty>{gm.print.noBatch}</Empty>
            <ButtonLink text={gm.print.make} href={paths.gm.codes} />
          </>
        )}
      </>
    );
  const shown = sheet?.batch.batch_id === batch.batch_id ? sheet : null;
  return (
    <>
      <div class="no-print stack">
        <Select
          label={gm.print.batch}
          name="batch"
          value={batch.batch_id}
          options={batches.map(({ batch_id, label }) => [batch_id, label] as const)}
          onChange={setChosen}
        />
        <ErrorNote error={form.error} />
        {shown === null ? (
          <>
            <p class="muted">{gm.print.reading}</p>
            <div class="actions">
              <Button text={gm.print.show} disabled={form.isSending} onClick={() => void form.submit()} />
            </div>
          </>
        ) : (
          <p class="muted">
            {shown.slips.length === 0
              ? gm.print.noSlips
              : gm.print.slips(shown.slips.length, Math.ceil(shown.slips.length / ON_A_PAGE))}{" "}
            {shown.left === 0 || shown.slips.length === 0 ? "" : gm.print.left(shown.left)}
          </p>
        )}
      </div>
      <ul class="cards">
        {shown?.slips.map((slip) => (
          <SlipCard key={slip.code} batch={shown.batch} slip={slip} name={name} />
        ))}
      </ul>
    </>
  );
};
