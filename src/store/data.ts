/** The types of the store for the service's model. */
import type { model } from "../domain/model.ts";
import type { DraftView, DurableView, View } from "./collection.ts";
import type { Store } from "./store.ts";

/** All records, read-only. */
export type Data = View<typeof model>;

/** All durable records, read-only, and their changes. */
export type DurableData = DurableView<typeof model>;

/** All records, to read and change. */
export type Draft = DraftView<typeof model>;

/** The store of the service. */
export type DataStore = Store<typeof model>;
