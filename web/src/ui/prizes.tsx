/** The badges of a player. */
import type { Badge } from "../state/api.ts";
import { en } from "../text/en.ts";
import "./prizes.css";

export const Badges = ({ badges }: { badges: readonly Badge[] }) => (
  <ul class="prizes" aria-label={en.prizes.badges}>
    {badges.map(({ name, symbol }) => (
      <li key={`${symbol} ${name}`}>
        <span aria-hidden="true">{symbol}</span> {name}
      </li>
    ))}
  </ul>
);
