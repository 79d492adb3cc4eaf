/** The transcripts of names, the audit and undo. Runs alone: they set the clock, and take long. */
import { declareTranscripts } from "./_transcript.ts";

declareTranscripts("seed.md", "undo.md", "audit.md", "audit-statistics.md");
