/** What each column of a file is for: a guess, with values of the file, which a game master may change. */
import { gm } from "../../../text/staff.ts";
import { Select } from "../../ui/inputs.tsx";
import type { Column, Use } from "./columns.ts";

interface MappingProps {
  columns: readonly Column[];
  uses: readonly Use[];
  onChange: (at: number, use: Use) => void;
}

export const Mapping = ({ columns, uses, onChange }: MappingProps) => (
  <fieldset class="mapping">
    <legend>{gm.import.columns}</legend>
    <p class="muted">{gm.import.columnsHint}</p>
    <div class="pair">
      {columns.map(({ head, samples }, at) => (
        <Select
          key={at}
          label={head}
          name={`column-${at}`}
          hint={gm.import.samples(samples)}
          value={uses[at] ?? "ignore"}
          options={gm.import.uses}
          onChange={(use) => onChange(at, use)}
        />
      ))}
    </div>
  </fieldset>
);
