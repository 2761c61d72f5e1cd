# Reference values of the statistics in src/modelstress/stats, computed by R.
#
#   apt-get install --no-install-recommends r-base-core r-cran-rstatix r-cran-effectsize
#   cd tests/reference && Rscript make.R
#
# writes samples.csv (samples of our own making) and values.json. Tests only read these two files:
# R is not needed to run them. What no R package of Debian's has is computed here by definition,
# from all pairs, where the package under test sorts and bisects.

suppressPackageStartupMessages({
  library(rstatix)
  library(effectsize)
})
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
set.seed(20261122)
LEVEL <- 0.99
TAIL <- (1 - LEVEL) / 2

heavy <- function(n) rlnorm(n, 2, 0.4) * ifelse(runif(n) < 0.05, 12, 1)
samples <- list(
  tiny_a = rlnorm(6, 1, 0.5), tiny_b = rlnorm(5, 1.4, 0.5),
  small_a = rlnorm(12, 0, 0.6), small_b = rlnorm(17, 0.4, 0.6), small_c = rlnorm(14, 0.1, 0.6),
  edge_a = rlnorm(49, 1, 0.5), edge_b = rlnorm(30, 1.3, 0.5),  # the largest exact test
  skewed_a = rlnorm(400, 3, 0.7), skewed_b = rlnorm(300, 3.1, 0.7),
  heavy_a = heavy(120), heavy_b = heavy(80), heavy_c = 1.3 * heavy(95),
  tied_a = round(4 * rlnorm(60, 0, 0.5)) / 4 + 0.25, tied_b = round(4 * rlnorm(45, 0.3, 0.5)) / 4 + 0.25,
  tied_c = round(4 * rlnorm(52, 0.1, 0.5)) / 4 + 0.25,
  few_a = rlnorm(20, 2, 0.5), many_b = rlnorm(350, 2.4, 0.5),
  apart_a = 50 + rlnorm(40, 1, 0.5), apart_b = rlnorm(35, 1, 0.5),
  long = rlnorm(1500, 2, 0.5) * rep(c(1, 1.1), each = 750)
)
samples$same_a <- rlnorm(90, 1, 0.5)
samples$same_b <- sample(samples$same_a)  # shift 0
pairs <- list(
  c("tiny_a", "tiny_b"), c("small_a", "small_b"), c("edge_a", "edge_b"), c("skewed_a", "skewed_b"),
  c("heavy_a", "heavy_b"), c("tied_a", "tied_b"), c("few_a", "many_b"), c("apart_a", "apart_b"),
  c("apart_b", "apart_a"), c("same_a", "same_b"), c("skewed_a", "tiny_b")
)
groups <- list(
  c("small_a", "small_b", "small_c"), c("heavy_a", "heavy_b", "heavy_c", "few_a"),
  c("tied_a", "tied_b", "tied_c"), c("skewed_a", "skewed_b", "many_b", "apart_a", "tiny_a")
)
starts <- list(
  list(c("small_a", "small_b", "small_c"), c("heavy_a", "heavy_b", "heavy_c", "few_a")),
  list(c("tied_a", "tied_b", "tied_c"), c("small_a", "small_b"))
)

# Cliff's interval as src/modelstress/stats/pairs.py documents it: a quarter of a value is added at
# either end of each sample, and the degrees of freedom are Brunner and Munzel's.
cliff_interval <- function(x, y) {
  d <- sign(outer(x, y, "-"))
  least <- min(dim(d)); delta <- mean(d)
  if (abs(delta) == 1) {
    z <- qnorm(1 - TAIL)^2
    inner <- (least - z) / (least + z)
    return(if (delta > 0) c(inner, 1) else c(-1, -inner))
  }
  weighted <- function(means) {
    values <- c(means, -1, 1); weights <- c(rep(1, length(means)), 0.25, 0.25)
    n <- sum(weights); mean <- sum(weights * values) / n
    c(sum(weights * (values - mean)^2) / (n - 1) / n, n - 1)
  }
  rows <- weighted(rowMeans(d)); columns <- weighted(colMeans(d))
  variance <- rows[1] + columns[1]
  freedom <- variance^2 / (rows[1]^2 / rows[2] + columns[1]^2 / columns[2])
  t2 <- qt(1 - TAIL, freedom)^2 * variance
  near <- delta * least / (least + 0.5)
  end <- function(at, sign) {
    (at - at^3 + sign * sqrt(t2 * ((1 - at^2)^2 + t2))) / (1 - at^2 + t2)
  }
  c(max(-1, end(min(near, delta), -1)), min(1, end(max(near, delta), 1)))
}

# wilcox.test(conf.int = TRUE) looks for its ends from an interval that it chooses, to 1e-4; here
# its own function of the shift is bisected until neighbouring doubles differ.
shift_interval <- function(x, y, exact) {
  if (exact) {
    found <- wilcox.test(x, y, conf.int = TRUE, conf.level = LEVEL, exact = TRUE)
    return(as.numeric(found$conf.int))
  }
  n <- length(x); m <- length(y)
  z <- function(d) {
    r <- rank(c(x - d, y)); ties <- table(r)
    w <- sum(r[seq_along(x)]) - n * (n + 1) / 2 - n * m / 2
    sigma <- sqrt(n * m / 12 * ((n + m + 1) - sum(ties^3 - ties) / ((n + m) * (n + m - 1))))
    (w - sign(w) * 0.5) / sigma
  }
  sapply(c(qnorm(1 - TAIL), qnorm(TAIL)), function(zq) {
    low <- min(x) - max(y) - 1; high <- max(x) - min(y) + 1
    uniroot(function(d) z(d) - zq, c(low, high), tol = 1e-13, maxiter = 10000)$root
  })
}

of_pair <- function(names) {
  x <- samples[[names[1]]]; y <- samples[[names[2]]]
  n <- length(x); m <- length(y)
  exact <- max(n, m) < 50 && !any(duplicated(c(x, y)))
  found <- suppressWarnings(wilcox.test(x, y, exact = exact, correct = TRUE))
  half <- (min(n, m) + 1) %/% 2
  rank <- max(1, ceiling(n * m * qbeta(TAIL, half, half)))
  ratios <- sort(outer(x, y, "/"))
  delta <- mean(sign(outer(x, y, "-")))
  # effectsize rounds nothing, but needs both samples to vary
  stopifnot(abs(delta - suppressWarnings(cliffs_delta(x, y)$r_rank_biserial)) < 1e-12)
  list(
    first = names[1], second = names[2], exact = exact, u = unname(found$statistic),
    p = found$p.value, shift = median(outer(x, y, "-")),
    shift_interval = shift_interval(x, y, exact),
    delta = delta, delta_interval = cliff_interval(x, y),
    ratio = median(ratios), ratio_interval = c(ratios[rank], ratios[n * m + 1 - rank])
  )
}

of_groups <- function(names) {
  frame <- data.frame(
    value = unlist(samples[names], use.names = FALSE),
    group = factor(rep(names, lengths(samples[names])), levels = names)
  )
  test <- kruskal.test(value ~ group, frame)
  dunn <- lapply(c("none", "bonferroni", "holm"), function(how) {
    as.data.frame(dunn_test(frame, value ~ group, p.adjust.method = how, detailed = TRUE))
  })
  list(
    groups = names, h = unname(test$statistic), p = test$p.value,
    first = match(dunn[[1]]$group1, names) - 1, second = match(dunn[[1]]$group2, names) - 1,
    z = dunn[[1]]$statistic, bonferroni = dunn[[2]]$p.adj, holm = dunn[[3]]$p.adj
  )
}

of_sample <- function(name) {
  x <- sort(samples[[name]]); n <- length(x)
  k <- sum(2 * pbinom(seq_len(n) - 1, n, 0.5) <= 1 - LEVEL)
  scores <- qnorm((rank(samples[[name]]) - 0.5) / n)
  lags <- min(10, n %/% 5)
  normal <- shapiro.test(x)
  shares <- c(0.5, 0.9, 0.95, 0.99, 0.999)
  low <- qbinom(TAIL, n, shares); high <- qbinom(TAIL, n, shares, lower.tail = FALSE) + 1
  known <- low >= 1 & high <= n
  list(
    sample = name, median = median(x), cod = mean(abs(x - median(x))) / median(x),
    median_interval = if (k > 0) x[c(k, n + 1 - k)] else NULL,
    shapiro_w = unname(normal$statistic), shapiro_p = normal$p.value,
    shares = shares, percentiles = unname(quantile(x, shares, type = 7)),
    percentile_lows = ifelse(known, x[pmax(low, 1)], NA),
    percentile_highs = ifelse(known, x[pmin(high, n)], NA),
    ljung_box_p = if (n >= 20) unname(Box.test(scores, lags, "Ljung-Box")$p.value) else NULL
  )
}

of_starts <- function(sides) {
  medians <- lapply(sides, function(names) sapply(samples[names], median))
  pooled <- sapply(sides, function(names) median(unlist(samples[names])))
  logs <- lapply(medians, log)
  list(
    mine = sides[[1]], other = sides[[2]], median = pooled[1], ratio = pooled[1] / pooled[2],
    difference = pooled[1] - pooled[2],
    median_interval = exp(as.numeric(t.test(logs[[1]], conf.level = LEVEL)$conf.int)),
    ratio_interval = exp(as.numeric(t.test(logs[[1]], logs[[2]], conf.level = LEVEL)$conf.int)),
    difference_interval =
      as.numeric(t.test(medians[[1]], medians[[2]], conf.level = LEVEL)$conf.int)
  )
}

number <- function(x) ifelse(is.na(x), "null", sprintf("%.17g", x))
json <- function(x, indent = "") {
  inner <- paste0(indent, "  ")
  if (is.null(x)) return("null")
  if (is.list(x)) {
    keys <- if (is.null(names(x))) "" else sprintf("\"%s\": ", names(x))
    parts <- paste0(inner, keys, sapply(x, json, indent = inner))
    ends <- if (is.null(names(x))) c("[", "]") else c("{", "}")
    return(paste0(ends[1], "\n", paste(parts, collapse = ",\n"), "\n", indent, ends[2]))
  }
  text <- if (is.numeric(x) || all(is.na(x))) number(x) else
    if (is.logical(x)) tolower(x) else sprintf("\"%s\"", x)
  if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
}

lines <- unlist(lapply(names(samples), function(name) sprintf("%s,%.17g", name, samples[[name]])))
writeLines(c("sample,value", lines), "samples.csv")
versions <- list(
  R = paste(R.version$major, R.version$minor, sep = "."),
  rstatix = as.character(packageVersion("rstatix")),
  effectsize = as.character(packageVersion("effectsize"))
)
writeLines(json(list(
  versions = versions, confidence = LEVEL, samples = lapply(names(samples), of_sample),
  pairs = lapply(pairs, of_pair), groups = lapply(groups, of_groups),
  starts = lapply(starts, of_starts)
)), "values.json")
