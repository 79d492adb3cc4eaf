/** The transcripts of the data folder. Runs alone: they set the clock, and take long. */
import { declareTranscripts } from "./_transcript.ts";

declareTranscripts("data.md", "restoring.md", "repairing.md");
