/** Printable sheets: cards with tag codes, slips with the codes of a batch, and posters with the link to join. */
import { Printer } from "lucide";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../../paths.ts";
import { gm } from "../../../text/staff.ts";
import { Button } from "../../../ui/button.tsx";
import { Qr } from "../../../ui/camera/qr.tsx";
import { Crowd } from "../../../ui/crowd.tsx";
import { Empty, ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import { formatCode } from "../../../ui/tagCode.tsx";
import type { Settings } from "../../calls.ts";
import { readSettings } from "../../game/settings/settings.ts";
import { usePolled } from "../../polled.ts";
import { useRoster } from "../../roster.ts";
import { Address, playersOrigin } from "../../ui/address.tsx";
import { Select } from "../../ui/inputs.tsx";
import { Slips } from "./slips.tsx";
import "./print.css";

type Sheet = (typeof gm.print.sheets)[number][0];

const Cards = ({ name }: { name: string }) => {
  const { players, error, isLoading, reload } = useRoster();
  if (error !== null) return <ErrorNote error={error} onRetry={reload} />;
  if (isLoading) return <Skeleton />;
  const value = players.map(({ player }) => player).filter(({ state }) => state === "human");
  const withCode = value.filter(({ tag_code }) => tag_code !== null);
  if (withCode.length === 0) return <Empty>{value.length === 0 ? gm.print.nobody : gm.print.hidden}</Empty>;
  return (
    <>
      <p class="muted no-print">{gm.print.cards(withCode.length, Math.ceil(withCode.length / 8))}</p>
      <ul class="cards">
        {withCode.map(({ player_id, alias, tag_code }) => (
          <li key={player_id} class="id-card">
            <div>
              <span>{name}</span>
              <strong>{alias}</strong>
              <p class="id-code number">{formatCode(tag_code ?? "")}</p>
              <span>{gm.print.secret}</span>
            </div>
            <Qr text={tag_code ?? ""} label={gm.print.qr(tag_code ?? "")} />
          </li>
        ))}
      </ul>
    </>
  );
};

const Posters = ({ settings }: { settings: Settings }) => {
  const origin = playersOrigin();
  if (origin === null) return null;
  const codes = settings.join_codes.length === 0 ? [null] : settings.join_codes.map(({ code }) => code);
  return (
    <ul class="posters">
      {codes.map((code) => {
        const link = origin + paths.joinWith(code);
        return (
          <li key={link} class="poster">
            <Crowd />
            <h2>{settings.name}</h2>
            {settings.description === null ? null : <p>{settings.description}</p>}
            <Qr text={link} label={gm.print.qr(link)} />
            <p>{gm.print.scan}</p>
            <p class="poster-link">{`${new URL(origin).host}${paths.join}`}</p>
            {code === null ? null : (
              <p>
                {gm.game.code} <b>{code}</b>
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
};

export const Print = () => {
  const { batch } = useLocation().query;
  const [sheet, setSheet] = useState<Sheet>(batch === undefined ? "posters" : "slips");
  const { value: settings, error, reload } = usePolled(readSettings);
  return (
    <main class="page wide stack">
      <header class="head no-print">
        <h1>{gm.nav.print}</h1>
        <Button text={gm.print.submit} icon={Printer} kind="primary" onClick={() => print()} />
      </header>
      <div class="no-print">
        <Select
          label={gm.print.what}
          name="sheet"
          value={sheet}
          options={gm.print.sheets}
          onChange={setSheet}
        />
      </div>
      {sheet === "cards" ? null : <Address />}
      <ErrorNote error={error} onRetry={reload} />
      {settings === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : sheet === "posters" ? (
        <Posters settings={settings} />
      ) : sheet === "slips" ? (
        <Slips name={settings.name} of={batch} />
      ) : (
        <Cards name={settings.name} />
      )}
    </main>
  );
};
