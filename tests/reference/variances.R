# Robust prior variances of limma (Phipson et al. 2016): tests/reference/variances.json.
# Debian: r-bioc-limma r-cran-statmod r-cran-jsonlite. Rscript tests/reference/variances.R
library(limma)
library(jsonlite)

set.seed(7)
draw <- function(n, degrees, prior, common, deviating = 0) {
  truth <- common * prior / rchisq(n, prior)
  variances <- truth * rchisq(n, degrees) / degrees
  if (deviating > 0) variances[seq_len(deviating)] <- variances[seq_len(deviating)] * 40
  variances
}
cases <- list(
  scattered = list(draw(40, 2, 6, 0.02), rep(2, 40)),
  deviating = list(draw(30, 2, 8, 0.02, 2), rep(2, 30)),
  unequal = list(draw(24, 3, 5, 0.01), rep(c(2, 3, 4), 8)),
  alike = list(0.02 * rchisq(20, 4) / 4, rep(4, 20)),
  few = list(draw(12, 2, 4, 0.02, 1), rep(2, 12)),
  many = list(draw(300, 2, 10, 0.03, 9), rep(2, 300))
)
values <- lapply(names(cases), function(name) {
  variances <- cases[[name]][[1]]
  degrees <- cases[[name]][[2]]
  one <- if (length(unique(degrees)) == 1) degrees[1] else degrees
  fit <- fitFDistRobustly(variances, one, winsor.tail.p = c(0.05, 0.1))
  gained <- fit$df2.shrunk
  gained[is.infinite(gained)] <- -1 # JSON has no infinity
  list(case = name, variances = variances, degrees = degrees,
       variance = fit$scale[1], gained = gained)
})
json <- toJSON(list(limma = as.character(packageVersion("limma")), cases = values),
               digits = NA, auto_unbox = TRUE)
writeLines(json, "tests/reference/variances.json")
