/** The transcripts of names, the audit and undo. */
import { declareTranscripts } from "./_transcript.ts";

declareTranscripts("seed.md", "undo.md", "audit.md", "audit-statistics.md");
