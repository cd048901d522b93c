/** The field for the place of a tag. */
import { useState } from "preact/hooks";
import { en } from "../../text/en.ts";

export interface Place {
  latitude: number;
  longitude: number;
}

const readPosition = (): Promise<Place> =>
  new Promise((resolve, reject) => {
    const options = { enableHighAccuracy: true, timeout: 15_000, maximumAge: 60_000 };
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => resolve({ latitude, longitude }),
      reject,
      options,
    );
  });

/** A checkbox that adds the device's position to the tag. */
export const PlaceField = ({
  place,
  onChange,
}: {
  place: Place | null;
  onChange: (place: Place | null) => void;
}) => {
  const [state, setState] = useState<"" | "searching" | "failed">("");
  const toggle = async (): Promise<void> => {
    if (place !== null) return onChange(null);
    setState("searching");
    try {
      onChange(await readPosition());
      setState("");
    } catch {
      setState("failed");
    }
  };
  return (
    <label class="row">
      <input
        type="checkbox"
        checked={place !== null}
        disabled={state === "searching"}
        onChange={() => void toggle()}
      />
      <span class="grow">
        {en.tag.place}
        <span class="muted event-more" aria-live="polite">
          {state === "" ? en.tag.placeHint : en.tag.placeState[state]}
        </span>
      </span>
    </label>
  );
};
