/** Makes the document shorter: schemas and parameters that occur several times become components. */
import { isObject, type Json } from "./schemas.ts";

/** A field or parameter that a reference may replace, with its name. */
interface Place {
  name: string;
  value: Json;
  replace: (by: Json) => void;
}

const placesIn = (value: unknown, kind: "schemas" | "parameters"): Place[] => {
  if (Array.isArray(value)) return value.flatMap((inner) => placesIn(inner, kind));
  if (!isObject(value)) return [];
  const places: Place[] = [];
  const add = (within: Json | unknown[], key: string | number, name: string, inner: unknown) => {
    if (!isObject(inner) || inner.$ref !== undefined) return;
    const replace = (by: Json) => Object.assign(within, { [key]: by });
    places.push({ name, value: inner, replace });
  };
  for (const [name, inner] of Object.entries(value)) {
    if (name === "example") continue;
    if (kind === "schemas" && name === "properties" && isObject(inner)) {
      for (const [field, schema] of Object.entries(inner)) add(inner, field, field, schema);
    }
    if (kind === "parameters" && name === "parameters" && Array.isArray(inner)) {
      for (const [at, parameter] of inner.entries()) add(inner, at, String(parameter.name), parameter);
    }
    places.push(...placesIn(inner, kind));
  }
  return places;
};

/**
 * Replaces equal fields or parameters by references to one component, if that is shorter. Inner fields come first, so
 * that equal fields of different objects are shared too.
 */
export const shareEqual = (document: Json, kind: "schemas" | "parameters"): Json => {
  const components: Json = isObject(document.components) ? document.components : {};
  const shared: Json = isObject(components[kind]) ? components[kind] : {};
  const groups = Map.groupBy(
    placesIn([document.paths, shared], kind).toReversed(),
    ({ name, value }) => `${name} ${JSON.stringify(value)}`,
  );
  for (const [text, places] of [...groups].toSorted(([one], [other]) => one.localeCompare(other, "en"))) {
    const [first] = places;
    if (first === undefined) continue;
    const { name, value } = first;
    const variants = Object.keys(shared).filter((one) => one === name || one.startsWith(`${name}.`)).length;
    const component = variants === 0 ? name : `${name}.${variants + 1}`;
    const reference = { $ref: `#/components/${kind}/${component}` };
    const saved =
      places.length * (text.length - name.length - JSON.stringify(reference).length) - text.length - 10;
    if (saved <= 0) continue;
    shared[component] = value;
    for (const { replace } of places) replace(reference);
  }
  return document;
};

/** Removes schemas to which nothing refers, such as those that were only extended. */
export const withoutUnused = (document: Json): Json => {
  const components: Json = isObject(document.components) ? document.components : {};
  const schemas: Json = isObject(components.schemas) ? components.schemas : {};
  const text = JSON.stringify(document);
  for (const name of Object.keys(schemas)) {
    if (!text.includes(`"#/components/schemas/${name}"`)) delete schemas[name];
  }
  return document;
};
