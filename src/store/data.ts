/** The store of this service: its model, as readers and changes see it. */
import type { model } from "../domain/model.ts";
import type { DraftView, DurableView, View } from "./collection.ts";
import type { Store } from "./store.ts";

/** All records, to read. */
export type Data = View<typeof model>;

/** All records as they are on the disk, to read and to follow. */
export type DurableData = DurableView<typeof model>;

/** All records, to read and to change. */
export type Draft = DraftView<typeof model>;

/** The store that holds them. */
export type DataStore = Store<typeof model>;
