/** The question whether others may know of a player whom a game master makes a zombie, while original zombies are hidden. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { now, snapshot } from "../../state/session.ts";
import { gm } from "../../text/staff.ts";
import { read } from "../calls.ts";
import { bindSignal, Select } from "./inputs.tsx";

/** Whether original zombies are hidden now. */
const areHidden = async (): Promise<boolean> => {
  const { hide_originals, reveal_originals_at } = await read("settings");
  const reveal = reveal_originals_at ?? snapshot.value?.game.ends_at ?? null;
  return hide_originals && (reveal === null || Date.parse(reveal) > (now.value ?? Date.now()));
};

interface HiddenChoice {
  /** The field of the form; nothing if nobody is hidden. */
  field: ComponentChildren;
  /** The field of the request. */
  body: () => { hidden?: boolean };
}

/** Asks whether others should know, if that is a question now. Nobody does by default, so that nothing leaks by mistake. */
export const askHidden = async (): Promise<HiddenChoice> => {
  if (!(await areHidden())) return { field: null, body: () => ({}) };
  const hidden = signal<"true" | "false">("true");
  const Field = () => (
    <Select
      label={gm.hidden.label}
      name="hidden"
      hint={gm.hidden.hint}
      options={gm.hidden.choices}
      {...bindSignal(hidden)}
    />
  );
  return { field: <Field />, body: () => ({ hidden: hidden.value === "true" }) };
};
