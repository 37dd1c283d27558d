/** Distances on the globe, as the interface defines them; nothing here knows documents. */

export const EARTH_RADIUS_METRES = 6_371_000;

const DEGREE = Math.PI / 180;

/**
 * Great-circle distance in metres, rounded to millimetres. `(1 - cos x) / 2` is the interface's own formula, coarse
 * (steps of about 0.1 m) for near points: results must agree with it, so it is not replaced by a finer one.
 */
export function distanceMetres(lat1: number, lng1: number, lat2: number, lng2: number): number {
  const phi1 = lat1 * DEGREE;
  const phi2 = lat2 * DEGREE;
  const haversine =
    (1 - Math.cos(phi2 - phi1)) / 2 + Math.cos(phi1) * Math.cos(phi2) * ((1 - Math.cos((lng2 - lng1) * DEGREE)) / 2);
  const metres = 2 * EARTH_RADIUS_METRES * Math.asin(Math.sqrt(Math.min(1, haversine)));
  return Math.round(metres * 1000) / 1000;
}

/** The point reached from a place by going `metres` along a bearing (degrees); longitude is not wrapped. */
export function destination(lat: number, lng: number, bearing: number, metres: number): { lat: number; lng: number } {
  const angle = metres / EARTH_RADIUS_METRES;
  const phi = lat * DEGREE;
  const theta = bearing * DEGREE;
  const sine = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(theta);
  const reached = Math.asin(Math.max(-1, Math.min(1, sine)));
  const turned = Math.atan2(
    Math.sin(theta) * Math.sin(angle) * Math.cos(phi),
    Math.cos(angle) - Math.sin(phi) * Math.sin(reached),
  );
  return { lat: reached / DEGREE, lng: lng + turned / DEGREE };
}

/** The middle of the shortest way between two places less than half of the globe apart; longitude is not wrapped. */
export function halfway(lat1: number, lng1: number, lat2: number, lng2: number): { lat: number; lng: number } {
  const phi1 = lat1 * DEGREE;
  const phi2 = lat2 * DEGREE;
  const turn = (lng2 - lng1) * DEGREE;
  const x = Math.cos(phi1) + Math.cos(phi2) * Math.cos(turn);
  const y = Math.cos(phi2) * Math.sin(turn);
  const lat = Math.atan2(Math.sin(phi1) + Math.sin(phi2), Math.hypot(x, y)) / DEGREE;
  return { lat, lng: lng1 + Math.atan2(y, x) / DEGREE };
}
