/** Downloads CSV files. */
import { saveBlob } from "../../ui/saveFile.ts";

/** Downloads a text as a CSV file. */
export const saveFile = (name: string, text: string): void =>
  saveBlob(name, new Blob([text], { type: "text/csv;charset=utf-8" }));
