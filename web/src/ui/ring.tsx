/** A progress ring around its content. */
import type { ComponentChildren } from "preact";
import "./ring.css";

const RADIUS = 54;
const LENGTH = 2 * Math.PI * RADIUS;

/** @param props.fraction the remaining part of the period, from 0 to 1 */
export const Ring = ({
  fraction,
  urgent,
  children,
}: {
  fraction: number;
  urgent: boolean;
  children: ComponentChildren;
}) => (
  <div class="ring" data-urgent={urgent}>
    <svg viewBox="0 0 120 120" aria-hidden="true">
      <circle class="ring-track" cx="60" cy="60" r={RADIUS} />
      <circle
        class="ring-part"
        cx="60"
        cy="60"
        r={RADIUS}
        stroke-dasharray={`${LENGTH}`}
        stroke-dashoffset={`${LENGTH * (1 - Math.min(1, Math.max(0, fraction)))}`}
      />
    </svg>
    <div class="ring-content">{children}</div>
  </div>
);
