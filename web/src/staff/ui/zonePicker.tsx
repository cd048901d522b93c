/** A field that finds a time zone by its city or name: a combobox with a list, as the ARIA practices describe. */
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { textMatcher } from "../../state/search.ts";
import { gm } from "../../text/staff.ts";
import { isZone, offsetText } from "../../text/zoned.ts";
import "./zonePicker.css";

interface ZonePickerProps {
  label: string;
  name: string;
  value: string;
  /** Called with names of zones only. */
  onChange: (zone: string) => void;
}

/** Computing the offset of every zone takes a phone a while. */
const MAX_SHOWN = 50;

/** Cities by the names that browsers do not list: they keep the first name of a zone. */
const ALSO: Readonly<Record<string, string>> = {
  "Asia/Calcutta": "Kolkata Mumbai Delhi India",
  "Asia/Katmandu": "Kathmandu Nepal",
  "Asia/Rangoon": "Yangon",
  "Asia/Saigon": "Ho Chi Minh",
  "Asia/Shanghai": "Beijing China",
  "Europe/Kiev": "Kyiv",
  "America/Godthab": "Nuuk",
  "America/New_York": "Boston Washington",
  "America/Los_Angeles": "San Francisco Seattle",
  "America/Chicago": "Houston Dallas",
};

const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** All zones: that of the device first. */
const allZones = (current: string): string[] => {
  const own = ownZone();
  return [...new Set([...[own, current, "UTC"].filter(isZone), ...Intl.supportedValuesOf("timeZone")])];
};

/** The zone with this name in any case, also one that browsers do not list, such as `Etc/GMT+3`. */
const zoneNamed = (typed: string, zones: readonly string[]): string | undefined => {
  const name = typed.trim();
  const listed = zones.find((zone) => zone.toLowerCase() === name.toLowerCase());
  return listed ?? (isZone(name) ? name : undefined);
};

const searchTextOf = (zone: string): string => `${zone} ${zone.replaceAll(/[/_]/g, " ")} ${ALSO[zone] ?? ""}`;

export const ZonePicker = ({ label, name, value, onChange }: ZonePickerProps) => {
  const id = useId();
  /** What is typed; `null` while the field shows the chosen zone. */
  const [text, setText] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const zones = useMemo(() => allZones(value), [value]);
  const found = useMemo(() => {
    if (!isOpen) return [];
    const isMatch = textMatcher(text ?? "");
    return zones.filter((zone) => isMatch(searchTextOf(zone)));
  }, [zones, text, isOpen]);
  const shown = isOpen ? found.slice(0, MAX_SHOWN) : [];
  const active = Math.min(at, shown.length - 1);
  const close = (): void => {
    setOpen(false);
    setText(null);
    setAt(0);
  };
  const choose = (zone: string): void => {
    onChange(zone);
    close();
  };
  const move = (by: number): void => {
    setOpen(true);
    const next = isOpen ? Math.max(0, Math.min(shown.length - 1, active + by)) : 0;
    setAt(next);
    list.current?.children[next]?.scrollIntoView({ block: "nearest" });
  };
  const type = (typed: string): void => {
    // Short names, such as `Cuba`, may be the beginning of what somebody wants to find.
    const named = typed.includes("/") ? zoneNamed(typed, zones) : undefined;
    if (named !== undefined) onChange(named);
    // A zone may be the beginning of another: what is typed stays.
    setText(typed);
    setOpen(true);
    setAt(0);
  };
  /** Takes what was typed if it is one zone. Otherwise the field shows the zone as before. */
  const leave = (typed: string): void => {
    const zone = found.length === 1 ? found[0] : zoneNamed(typed, zones);
    if (zone !== undefined) choose(zone);
    else close();
  };
  const press = (event: KeyboardEvent): void => {
    const chosen = shown[active];
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && isOpen && chosen !== undefined) choose(chosen);
    else if (event.key === "Escape" && isOpen) close();
    else return;
    event.preventDefault();
  };
  const now = Date.now();
  return (
    <div class="field zone-picker">
      <label for={id}>{label}</label>
      <div class="field-box">
        <input
          id={id}
          name={name}
          type="text"
          role="combobox"
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={shown.length === 0 ? undefined : `${id}-${active}`}
          aria-describedby={`${id}-note`}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          value={text ?? value}
          onFocus={({ currentTarget }) => currentTarget.select()}
          onClick={() => setOpen(true)}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={press}
          onBlur={() => (text === null ? close() : leave(text))}
        />
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        class="card zones"
        tabIndex={-1}
        hidden={!isOpen}
      >
        {shown.map((zone, index) => (
          // Keys are those of the field, which keeps the focus.
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          <div
            key={zone}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            class="row"
            // A press would take the focus from the field, which closes the list.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(zone)}
          >
            <span class="grow">{zone.replaceAll("_", " ")}</span>
            <span class="muted number">{offsetText(now, zone)}</span>
          </div>
        ))}
      </div>
      <p id={`${id}-note`} class="field-note" aria-live="polite">
        {isOpen && found.length === 0 ? gm.zone.none : gm.zone.hint(value, offsetText(now, value), ownZone())}
      </p>
    </div>
  );
};
