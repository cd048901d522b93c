/** The SVG renderer, for small outbreaks. */
import { useSignalEffect } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { dayText } from "../../text/times.ts";
import { type Colouring, palette, svgColour } from "./colours.ts";
import { controlPoints, type Picture, type Spot } from "./layout.ts";
import { initialOf, kindOf, type SceneProps } from "./scene.ts";
import { LABEL_SIZE, labelOf } from "./view.ts";

const Link = ({ spot, radius, stroke }: { spot: Spot; radius: number; stroke: string }) => {
  const { parent, x, y } = spot;
  if (parent === null) return null;
  const [one, other] = controlPoints(spot, parent, radius);
  const path = `M${parent.x},${parent.y}C${one.x},${one.y} ${other.x},${other.y} ${x},${y}`;
  return <path d={path} stroke={stroke} />;
};

const Mark = ({ spot, fill }: { spot: Spot; fill: string }) => {
  const { node, size } = spot;
  return (
    <g class="spot-body">
      <circle class="spot-halo" r={size + 6} stroke={fill} />
      <circle class="spot-disc" r={size} fill={fill} />
      {node.picture_url === null ? (
        <text class="spot-initial" font-size={size} dy="0.36em">
          {initialOf(spot)}
        </text>
      ) : (
        <image
          href={node.picture_url}
          x={3 - size}
          y={3 - size}
          width={2 * size - 6}
          height={2 * size - 6}
          preserveAspectRatio="xMidYMid slice"
        />
      )}
    </g>
  );
};

/** Memoizes the elements of all spots. */
const useShapes = ({ spots, radius, maxGeneration }: Picture, colouring: Colouring) =>
  useMemo(() => {
    const colourOf = palette(colouring, maxGeneration);
    return spots.map((spot) => {
      const colour = svgColour(colourOf(spot));
      return {
        link: <Link spot={spot} radius={radius} stroke={colour} />,
        mark: <Mark spot={spot} fill={colour} />,
      };
    });
  }, [spots, radius, maxGeneration, colouring]);

export const SvgScene = (props: SceneProps) => {
  const { picture, view, size, visibleCount, labels, colouring, highlighted, isDimmed, own, selected } =
    props;
  const { spots, days } = picture;
  const canvas = useRef<SVGGElement>(null);
  const links = useRef<SVGGElement>(null);
  const marks = useRef<SVGGElement>(null);
  const shapes = useShapes(picture, colouring);
  const flags = (spot: Spot) => ({
    "data-lit": highlighted.has(spot) ? "" : undefined,
    "data-own": own.has(spot) ? "" : undefined,
    "data-selected": spot === selected ? "" : undefined,
    "data-kind": kindOf(spot),
    "data-state": spot.node.state ?? undefined,
  });
  // Zooming and replaying only set attributes of existing elements, without rendering.
  useSignalEffect(() => {
    const { x, y, scale } = view.value;
    canvas.current?.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    canvas.current?.style.setProperty("--scale", String(scale));
  });
  useSignalEffect(() => {
    for (const group of [links.current, marks.current]) {
      [...(group?.children ?? [])].forEach((element, order) => {
        element.toggleAttribute("data-out", order >= visibleCount.value);
      });
    }
  });
  return (
    <svg class="scene" width={size.width} height={size.height} data-dimmed={isDimmed} aria-hidden="true">
      <g ref={canvas}>
        {days.map((day) => (
          <g key={day.at} class="scene-day">
            <circle r={day.radius} />
            {day.isNamed ? (
              <text y={-day.radius} dy="-0.4em">
                {dayText(day.at)}
              </text>
            ) : null}
          </g>
        ))}
        <g ref={links} class="scene-links">
          {spots.map((spot) => (
            <g key={spot.order} {...flags(spot)}>
              {shapes[spot.order]?.link}
            </g>
          ))}
        </g>
        <g ref={marks}>
          {spots.map((spot) => (
            <g key={spot.order} class="spot" transform={`translate(${spot.x} ${spot.y})`} {...flags(spot)}>
              {shapes[spot.order]?.mark}
            </g>
          ))}
        </g>
        <g class="scene-labels">
          {labels.value.map((spot) => (
            <text
              key={spot.order}
              x={spot.x}
              y={spot.y + spot.size}
              dy={`${LABEL_SIZE * 0.09}em`}
              data-faint={isDimmed && !highlighted.has(spot) ? "" : undefined}
            >
              {labelOf(spot)}
            </text>
          ))}
        </g>
      </g>
    </svg>
  );
};
