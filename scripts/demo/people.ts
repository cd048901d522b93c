/** The invented players of the demo: their names and their drawn portraits. */
import sharp from "sharp";
import type { Random } from "../simulate/crowd.ts";

const FIRST = [
  ...[
    "Ada",
    "Amir",
    "Ana",
    "Aoife",
    "Bao",
    "Ben",
    "Carla",
    "Chidi",
    "Clara",
    "Daniel",
    "Dilan",
    "Elif",
    "Emma",
  ],
  ...[
    "Farah",
    "Felix",
    "Fiona",
    "Gabriel",
    "Grace",
    "Hana",
    "Hugo",
    "Ines",
    "Isaac",
    "Jamal",
    "Jana",
    "Jonas",
  ],
  ...[
    "Kaito",
    "Katya",
    "Kofi",
    "Lara",
    "Leo",
    "Lin",
    "Lucia",
    "Maja",
    "Marco",
    "Maya",
    "Mei",
    "Milan",
    "Nadia",
  ],
  ...["Nico", "Noor", "Olga", "Omar", "Paula", "Priya", "Rafael", "Rosa", "Ruben", "Sami", "Sara", "Sofia"],
  ...["Tariq", "Tessa", "Theo", "Tomás", "Uma", "Vera", "Viktor", "Wei", "Yara", "Yusuf", "Zoë"],
];
const LAST = "ABCDEFGHJKLMNPRSTVWZ";

/** The alias of the n-th player: a first name, and an initial that no other player of that name has. */
export const aliasOf = (n: number): string => {
  const name = FIRST[n % FIRST.length] ?? "Sam";
  const round = Math.floor(n / FIRST.length);
  const initial = LAST[(n * 7 + round * 6) % LAST.length] ?? "X";
  return round < LAST.length ? `${name} ${initial}` : `${name} ${initial} ${round}`;
};

const SKIN = ["#f6d7c3", "#eac0a0", "#d9a27c", "#b97a56", "#8d5a3b", "#5f3b26"];
const HAIR = ["#1f1a17", "#3b2a20", "#6b4423", "#a56b35", "#d8b36a", "#8a8f98", "#b5452e"];
const BACKGROUND = ["#9ec5ab", "#c9b6e4", "#f2c14e", "#8ecae6", "#f4978e", "#b7c9e2", "#cdd9a0"];
const SHIRT = ["#264653", "#6d597a", "#bc4749", "#2a9d8f", "#e9c46a", "#3d5a80"];

const HAIRCUTS = [
  '<path d="M62 118c-8-60 30-84 66-84s74 24 66 84c-12-30-30-44-66-44s-54 14-66 44z"/>',
  '<path d="M56 190c-14-70-8-156 72-156s86 86 72 156c-10-8-12-60-16-84-18-10-92-10-112 0-4 24-6 76-16 84z"/>',
  '<path d="M66 104c0-44 28-66 62-66s62 22 62 66c-20-22-40-10-62-24-18 14-42 6-62 24z"/>',
  '<path d="M70 96c10-40 34-56 58-56s48 16 58 56c-30-16-86-16-116 0z"/><circle cx="128" cy="30" r="24"/>',
];

/** A simple portrait of an invented person, as WebP. */
export const portrait = async (random: Random): Promise<Uint8Array> => {
  const one = (of: readonly string[]): string => of[Math.floor(random() * of.length)] ?? "";
  const [skin, hair] = [one(SKIN), one(HAIR)];
  const glasses =
    random() < 0.3
      ? '<g fill="none" stroke="#222" stroke-width="4"><circle cx="104" cy="124" r="17"/><circle cx="152" cy="124" r="17"/><path d="M121 122h14"/></g>'
      : "";
  const smile = 150 + Math.floor(random() * 14);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256">
<rect width="256" height="256" fill="${one(BACKGROUND)}"/>
<path d="M28 256c4-56 44-72 100-72s96 16 100 72z" fill="${one(SHIRT)}"/>
<rect x="106" y="160" width="44" height="44" rx="20" fill="${skin}"/>
<ellipse cx="128" cy="118" rx="56" ry="66" fill="${skin}"/>
<g fill="${hair}">${one(HAIRCUTS)}</g>
<circle cx="104" cy="124" r="6" fill="#222"/><circle cx="152" cy="124" r="6" fill="#222"/>${glasses}
<path d="M106 152q22 ${smile - 140} 44 0" fill="none" stroke="#7a3b32" stroke-width="5" stroke-linecap="round"/>
</svg>`;
  return sharp(Buffer.from(svg)).webp({ quality: 80 }).toBuffer();
};
