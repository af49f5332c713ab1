// What a person types, shown before the program has echoed it: `Predictor` guesses from the keys and the screen.

export { type PredictableScreen, type PredictMode, Predictor, type Settled } from './predictor.ts';
