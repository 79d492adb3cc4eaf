/** The transcripts of the data folder. */
import { declareTranscripts } from "./_transcript.ts";

declareTranscripts("data.md", "restoring.md", "repairing.md");
