/** Addon versions: two to four numbers separated by dots. */

/** What {@link versionForm} accepts, in words. */
export const versionWords = "two to four numbers with dots, of at most nine digits and without leading zeros";
export const versionForm = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){1,3}$/;

/** Orders versions number by number: 2.9 before 2.10, and 2.5 before 2.5.1. */
export const compareVersions = new Intl.Collator("en", { numeric: true }).compare;
