/** Types of requests and responses, from the API document. */
import type { paths } from "./openapi.ts";

export type Method = "get" | "post" | "delete";

type Operation<P extends keyof paths, M extends Method> = Exclude<paths[P][M], undefined>;

/** The paths that have a method. */
export type PathsOf<M extends Method> = {
  [P in keyof paths]: [Operation<P, M>] extends [never] ? never : P;
}[keyof paths];

type Json<T> = T extends { content: { "application/json": infer J } } ? J : undefined;

/** The JSON body of a request; `undefined` where there is none. */
export type BodyOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody: infer B }
    ? Json<B>
    : Operation<P, M> extends { requestBody?: infer B }
      ? Json<Exclude<B, undefined>> | undefined
      : undefined;

export type QueryOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { query?: infer Q } } ? Exclude<Q, undefined> : never;

/** Parameters of the path other than `url_id`. */
export type PathOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { path: infer A } } ? Omit<A, "url_id"> : Record<never, never>;

type Responses<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? R : never;

type BodyOfResponse<T> = T extends { content: infer C }
  ? C extends { "application/json": infer J }
    ? J
    : [C] extends [undefined]
      ? undefined
      : Blob
  : undefined;

/** What a success returns: JSON, the bytes of a picture or a page, or nothing. */
export type ResultOf<P extends keyof paths, M extends Method> = {
  [S in keyof Responses<P, M> & (200 | 201 | 202 | 204)]: BodyOfResponse<Responses<P, M>[S]>;
}[keyof Responses<P, M> & (200 | 201 | 202 | 204)];

/** Refuses keys that a type does not have, at every depth: the service answers them with 400. */
export type Exact<T, G> = T extends readonly unknown[]
  ? G
  : T extends object
    ? { [K in keyof G]: K extends keyof T ? Exact<Exclude<T[K], undefined>, G[K]> : never }
    : G;

type HeadersOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { header?: infer H } } ? Exclude<H, undefined> : never;

/** The POST paths that take no `Idempotency-Key`. */
export type WithoutKey = {
  [P in PathsOf<"post">]: [HeadersOf<P, "post">] extends [never]
    ? P
    : "Idempotency-Key" extends keyof HeadersOf<P, "post">
      ? never
      : P;
}[PathsOf<"post">];

export type { components, paths } from "./openapi.ts";
