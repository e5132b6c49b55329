# Times glm, randomForest and ranger, each followed by pROC's AUC: Rscript competitors.R FOLDER (without: versions)
# Each line of the input, such as "glm 20", is answered by seconds (processor time) and AUCs as one line of JSON.
suppressMessages({library(pROC); library(randomForest); library(ranger)})
folder <- commandArgs(trailingOnly = TRUE)
if (!length(folder)) {
  versions <- sapply(c("pROC", "randomForest", "ranger"), function(p) paste(p, packageVersion(p)))
  cat(R.version.string, versions, paste("BLAS of R:", basename(extSoftVersion()["BLAS"])), sep = ", ")
  quit()
}
read <- function(name) as.matrix(read.csv(file.path(folder, paste0(name, ".csv")), header = FALSE))
x_train <- read("X_train"); x_test <- read("X_test"); y_train <- read("Y_train"); y_test <- read("Y_test")
colnames(x_train) <- colnames(x_test) <- paste0("f", seq_len(ncol(x_train)))
options(warn = -1)  # glm warns of fitted probabilities of 0 or 1
auc <- function(y, score) as.numeric(pROC::auc(y, score, direction = "<", levels = c(0, 1), quiet = TRUE))
scores <- list(
  glm = function(k) {
    train <- data.frame(y = y_train[, k], x_train)
    predict(glm(y ~ ., data = train, family = binomial), data.frame(x_test))
  },
  randomForest = function(k) {
    fit <- randomForest::randomForest(x_train, factor(y_train[, k]), ntree = 500)
    predict(fit, x_test, type = "prob")[, "1"]
  },
  ranger = function(k) {
    fit <- ranger::ranger(x = x_train, y = factor(y_train[, k]), num.trees = 500, num.threads = 1)
    rowMeans(predict(fit, x_test, predict.all = TRUE, num.threads = 1)$predictions == 2)
  }
)
input <- file("stdin", "r")
while (length(line <- readLines(input, 1))) {
  words <- strsplit(line, " ")[[1]]
  values <- numeric(as.integer(words[2]))
  used <- system.time(for (k in seq_along(values)) values[k] <- auc(y_test[, k], scores[[words[1]]](k)))
  cat(sprintf('{"seconds": %.3f, "values": [%s]}\n', used[[1]] + used[[2]], paste(sprintf("%.9f", values), collapse = ", ")))
  flush(stdout())
}
