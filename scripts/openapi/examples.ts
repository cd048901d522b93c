/** Puts the examples of responses into the document. A structure has its example once, wherever it is returned. */
import { isObject, isStructure, type Json, nameOf } from "./schemas.ts";

const hasStructure = (schema: unknown): boolean =>
  /"#\/components\/schemas\/[A-Z]/.test(JSON.stringify(schema));

/**
 * Puts the parts of an example into the schemas that describe them: into the structures, and into the other fields. A
 * schema that has an example keeps it.
 */
const place = (schema: Json, value: unknown, components: Json): void => {
  if (value === null || value === undefined) return;
  const name = nameOf(schema);
  const target = name === null ? schema : components[name];
  if (!isObject(target) || target.example !== undefined) return;
  const { properties, items, anyOf } = target;
  const isWhole = isStructure(name) && !hasStructure(properties);
  if (isWhole || (!hasStructure(target) && !isObject(properties))) target.example = value;
  else if (isObject(properties)) {
    for (const [field, inner] of Object.entries(properties)) {
      if (isObject(inner)) place(inner, Object(value)[field], components);
    }
  } else if (isObject(items) && Array.isArray(value)) place(items, value[0], components);
  else if (Array.isArray(anyOf) && isObject(anyOf[0])) place(anyOf[0], value, components);
};

/** Puts the example of a JSON response into its media type, or into the structures that it consists of. */
export const placeExample = (media: Json, value: unknown, components: Json): void => {
  if (value === undefined || !isObject(media.schema)) return;
  // Events of different kinds have different fields, so a response with an event keeps its own example.
  const isEvent = "interaction" in Object(value);
  if (hasStructure(media.schema) && !isEvent) place(media.schema, value, components);
  else media.example = value;
};
