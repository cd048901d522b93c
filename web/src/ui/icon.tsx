/** Renders a lucide icon in the colour of the text. */
import type { IconNode } from "lucide";
import { h } from "preact";

export const Icon = ({ of, size = 24 }: { of: IconNode; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {of.map(([tag, attributes]) => h(tag, attributes))}
  </svg>
);
